import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { Trans, useLingui } from '@lingui/react/macro'
import { Lock, Play } from 'lucide-react'
import { Link } from '../../../../ui/link/link.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { AcceptedPackage } from './accepted-package.tsx'
import { DownloadButton } from './download-button.tsx'
import styles from './package-section.module.css'
import { PackageUpload } from './package-upload.tsx'

export function PackageSection({ version }: { version: ProductVersion }) {
  const { t } = useLingui()
  const { package: file, rights } = version
  return (
    <Section
      id="package"
      title={t`Package`}
      description={t`The zip that people run. It is checked as soon as it is uploaded.`}
      action={file && <PackageActions version={version} />}
    >
      {file && <AcceptedPackage version={version} file={file} />}
      {rights.replacePackage ? (
        <p className={styles.final}>
          <Lock size={16} aria-hidden />
          <Trans>
            This package has been live or downloaded, so it can no longer change. To ship another
            one, create a new version.
          </Trans>
        </p>
      ) : (
        <PackageUpload version={version} />
      )}
    </Section>
  )
}

function PackageActions({ version }: { version: ProductVersion }) {
  const { productId, productVersionId: versionId } = version
  return (
    <div className="actions">
      <Link
        to="/dashboard/cedar/mobile/$productId/$versionId/preview"
        params={{ productId, versionId }}
        className="button"
      >
        <Play size={16} aria-hidden />
        <Trans>Run a preview</Trans>
      </Link>
      <DownloadButton version={version} />
    </div>
  )
}
