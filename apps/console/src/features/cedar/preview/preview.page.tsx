import type { Product } from '@grove/contract/cedar/product'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, PackageOpen, PlugZap } from 'lucide-react'
import { ApiProblem } from '../../../api/problem.ts'
import { problemText } from '../../../api/problem-text.ts'
import { Link } from '../../../ui/link/link.tsx'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import { isKnown } from '../parts/is-known.ts'
import { LocalisedTitle } from '../parts/localised-title.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { ProductIcon } from '../parts/product-icon.tsx'
import { PreviewRoom } from './preview-room.tsx'
import { previewQuery } from './preview.api.ts'
import styles from './preview.page.module.css'

interface PreviewPageProps {
  product: Product
  version: ProductVersion
}

/** The package of a version, running in a phone frame on its own origin. */
export function PreviewPage({ product, version }: PreviewPageProps) {
  const { productId, productVersionId: versionId } = version
  return (
    <div className={styles.page}>
      <PageHead
        icon={<ProductIcon url={product.iconUrl} size={64} />}
        title={
          <>
            <LocalisedTitle translations={product.translations} />
            <span className={styles.number}>{version.version}</span>
          </>
        }
        description={
          <Link
            to="/dashboard/cedar/mobile/$productId/$versionId"
            params={{ productId, versionId }}
            className={styles.back}
          >
            <ArrowLeft size={14} aria-hidden />
            <Trans>Back to the version</Trans>
          </Link>
        }
      />
      {version.package || !isKnown(version.package) ? (
        <OpenedPreview version={version} />
      ) : (
        <NoPackage version={version} />
      )}
    </div>
  )
}

function NoPackage({ version: { productId, productVersionId: versionId } }: Versioned) {
  const { t } = useLingui()
  return (
    <EmptyState
      icon={PackageOpen}
      title={t`No package to preview`}
      text={t`A preview runs a version’s package. Upload one that passes its checks.`}
      action={
        <Link
          to="/dashboard/cedar/mobile/$productId/$versionId"
          params={{ productId, versionId }}
          hash="package"
          className="button primary"
        >
          {t`Upload a package`}
        </Link>
      }
    />
  )
}

interface Versioned {
  version: ProductVersion
}

function OpenedPreview({ version }: Versioned) {
  const { t, i18n } = useLingui()
  const query = useQuery(previewQuery(version.productVersionId))
  const { data, error, refetch, dataUpdatedAt } = query
  if (data)
    return (
      <PreviewRoom
        preview={data}
        openedAt={dataUpdatedAt}
        renewalError={error}
        renew={async () => {
          const renewed = await refetch()
          return renewed.isSuccess ? renewed.data : undefined
        }}
      />
    )
  if (!error)
    return (
      <div className={`skeleton ${styles.waiting}`}>
        <output className="visually-hidden">{t`Opening the preview…`}</output>
      </div>
    )
  const isOff = error instanceof ApiProblem && error.code === 'preview_off'
  return (
    <EmptyState
      icon={PlugZap}
      title={isOff ? t`Previews are turned off` : t`The preview could not be opened`}
      text={
        error instanceof ApiProblem && error.code === 'limit_reached'
          ? t`The provider has reached the limit of previews for this hour. Wait for the next hour, or ask an administrator to raise the limit.`
          : problemText(error, i18n)
      }
      action={
        !isOff && (
          <button type="button" className="button primary" onClick={() => void refetch()}>
            {t`Try again`}
          </button>
        )
      }
    />
  )
}
