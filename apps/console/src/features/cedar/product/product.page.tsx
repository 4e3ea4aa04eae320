import type { Product } from '@grove/contract/cedar/product'
import { Plural, Trans } from '@lingui/react/macro'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api } from '../../../session/api.ts'
import { Link } from '../../../ui/link/link.tsx'
import { LocalisedTitle } from '../parts/localised-title.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { useProductShared } from '../parts/link-address.ts'
import { cacheProduct, productQuery } from '../parts/product.api.ts'
import { VersionState } from '../parts/version-state.tsx'
import { IconUpload } from '../parts/icon-upload.tsx'
import { isKnown } from '../parts/is-known.ts'
import { useProviderName } from '../parts/use-provider-name.ts'
import styles from './product-page.module.css'
import { ProductTabs } from './product-tabs.tsx'

interface ProductPageProps {
  productId: string
  /** The page's primary action. */
  action: ReactNode
  /** The active tab. */
  children: ReactNode
}

/** The frame of an app's pages: its name and icon, its live version, and its tabs. */
export function ProductPage({ productId, action, children }: ProductPageProps) {
  const { data: product } = useSuspenseQuery(productQuery(productId))
  useProductShared(product)
  return (
    <div className={styles.page}>
      <PageHead
        icon={
          <IconUpload
            iconUrl={product.iconUrl}
            upload={(file, transfer) =>
              api.cedar.upload('/api/storage/product/icon', {
                fields: { productId },
                file,
                ...transfer,
              })
            }
            onSaved={cacheProduct}
          />
        }
        title={<LocalisedTitle translations={product.translations} />}
        description={
          <span className={styles.summary}>
            <LiveSummary product={product} />
            <Owner id={product.providerId} />
          </span>
        }
        action={action}
      />
      <ProductTabs productId={productId} />
      <div className={styles.sections}>{children}</div>
    </div>
  )
}

/** The provider that owns the app. An administrator also sees those of others. */
function Owner({ id }: { id: string }) {
  const nameOf = useProviderName()
  const { data } = useQuery(api.cedar.query('/api/provider', { query: { providerId: id } }))
  const provider = data?.find((each) => each.id === id)
  if (!provider) return null
  return (
    <span>
      ·{' '}
      <Trans>
        by{' '}
        <Link
          to="/dashboard/cedar/providers/$providerId"
          params={{ providerId: id }}
          preload={false}
        >
          <bdi>{nameOf(provider)}</bdi>
        </Link>
      </Trans>
    </span>
  )
}

const LiveSummary = ({ product: { liveVersion, versionCount } }: { product: Product }) => (
  <>
    {liveVersion ? (
      <>
        <VersionState state="live" /> {liveVersion.version}
      </>
    ) : (
      isKnown(liveVersion) && <Trans>No version is live</Trans>
    )}
    {/* A third-party service may not count them. */}
    {versionCount >= 0 && (
      <span>
        · <Plural value={versionCount} one="# version" other="# versions" />
      </span>
    )}
  </>
)
