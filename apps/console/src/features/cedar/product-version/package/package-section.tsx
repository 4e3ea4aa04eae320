import type { ProductVersion } from '@grove/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Lock } from 'lucide-react'
import { Bytes } from '../../../../ui/i18n/bytes.tsx'
import { CopyableId } from '../../../../ui/text/copyable-id.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Section } from '../../parts/section.tsx'
import { DownloadButton } from './download-button.tsx'
import { ReportView } from './package-report.tsx'
import styles from './package-section.module.css'
import { PackageUpload } from './package-upload.tsx'

export function PackageSection({ version }: { version: ProductVersion }) {
  const { t } = useLingui()
  const { package: file, report, isFinal } = version
  return (
    <Section
      title={t`Package`}
      description={t`The zip that people run. It is checked as soon as it is uploaded.`}
      action={file && <DownloadButton version={version} />}
    >
      {file && (
        <dl className={styles.facts}>
          <dt>{t`File`}</dt>
          <dd>{file.fileName}</dd>
          <dt>{t`Size`}</dt>
          <dd>
            <Trans>
              <Bytes value={file.bytes} />, <Bytes value={file.inflatedBytes} /> unpacked
            </Trans>
            {', '}
            <Plural value={file.files} one="# file" other="# files" />
          </dd>
          <dt>{t`Uploaded`}</dt>
          <dd>
            <DateText value={file.uploadedAt} />
          </dd>
          <dt>SHA-256</dt>
          <dd>
            <CopyableId value={file.sha256} tail={8} />
          </dd>
        </dl>
      )}
      {isFinal ? (
        <p className={styles.final}>
          <Lock size={16} aria-hidden />
          <Trans>
            This package has been live or downloaded, so it stays as it is. To ship another one,
            create a new version.
          </Trans>
        </p>
      ) : (
        <PackageUpload version={version} />
      )}
      {report && (!isFinal || report.findings.length > 0) && (
        <>
          {file && !report.ok && (
            <p className="muted">
              <Trans>The package above stays; the last one sent was refused.</Trans>
            </p>
          )}
          <ReportView report={report} version={version.version} />
        </>
      )}
    </Section>
  )
}
