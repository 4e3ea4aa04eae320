import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { Bytes } from '../../../../ui/i18n/bytes.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { CopyableId } from '../../../../ui/text/copyable-id.tsx'
import facts from '../../../../ui/text/fact-list.module.css'
import styles from './accepted-package.module.css'
import { FindingList } from './finding-list.tsx'
import { RepairList } from './repair-list.tsx'
import { ReportExport } from './report-export.tsx'

const FileMap = onDemand(() => import('./file-map.tsx').then((module) => module.FileMap))

interface AcceptedPackageProps {
  version: ProductVersion
  file: NonNullable<ProductVersion['package']>
}

/** The package that people get, and its own check report. */
export function AcceptedPackage({ version, file }: AcceptedPackageProps) {
  const { t } = useLingui()
  const { report } = file
  const [isOpen, setOpen] = useState(false)
  // A third-party service may not inspect packages.
  const isUnpacked = (file.files as number | undefined) !== undefined
  return (
    <div className={styles.package}>
      <dl className={facts.facts}>
        <dt>{t`File`}</dt>
        <dd>
          <bdi>{file.fileName}</bdi>
        </dd>
        <dt>{t`Size`}</dt>
        <dd>
          {isUnpacked ? (
            <>
              <Trans>
                <Bytes value={file.bytes} />, <Bytes value={file.inflatedBytes} /> unpacked
              </Trans>
              {', '}
              <Plural value={file.files} one="# file" other="# files" />
            </>
          ) : (
            <Bytes value={file.bytes} />
          )}
        </dd>
        <dt>{t`Uploaded`}</dt>
        <dd>
          <DateText value={file.uploadedAt} />
        </dd>
        <dt>SHA-256</dt>
        <dd>
          <CopyableId value={file.sha256} />
        </dd>
        {report?.sha256 && (
          <>
            <dt>{t`SHA-256 of the uploaded file`}</dt>
            <dd>
              <CopyableId value={report.sha256} />
            </dd>
          </>
        )}
      </dl>
      {report && (
        <>
          <header className={styles.verdict}>
            <h3>
              <CircleCheck size={16} aria-hidden />
              {t`The package passed its checks`}
            </h3>
            <ReportExport report={report} version={version.version} />
          </header>
          {report.repaired.length > 0 && <RepairList repairs={report.repaired} isDone />}
          <FindingList findings={report.findings} />
        </>
      )}
      <details className={styles.heaviest} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{t`Largest files`}</summary>
        {isOpen && <FileMap versionId={version.productVersionId} sha256={file.sha256} />}
      </details>
    </div>
  )
}
