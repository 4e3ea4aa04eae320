import type { Product } from '@grove/contract'
import { Plural, Trans } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { LocalisedTitle } from '../parts/localised-title.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { productQuery } from '../parts/product.api.ts'
import { VersionState } from '../parts/version-state.tsx'
import { DeleteProduct } from './delete-product.tsx'
import { IconUpload } from './icon-upload.tsx'
import styles from './product-page.module.css'
import { ReleaseHistory } from './release-history.tsx'
import { TitlesSection } from './titles-section.tsx'

interface ProductPageProps {
  productId: string
  /** The page's primary action. */
  action: ReactNode
  /** The list of versions. */
  versions: ReactNode
}

export function ProductPage({ productId, action, versions }: ProductPageProps) {
  const { data: product } = useSuspenseQuery(productQuery(productId))
  return (
    <div className={styles.page}>
      <PageHead
        icon={<IconUpload product={product} />}
        title={<LocalisedTitle translations={product.translations} />}
        description={<LiveSummary product={product} />}
        action={action}
      />
      <div className={styles.sections}>
        {versions}
        <TitlesSection product={product} />
        <ReleaseHistory productId={productId} />
        <DeleteProduct product={product} />
      </div>
    </div>
  )
}

const LiveSummary = ({ product: { liveVersion, versionCount } }: { product: Product }) => (
  <span className={styles.summary}>
    {liveVersion ? (
      <>
        <VersionState state="live" /> {liveVersion.version}
      </>
    ) : (
      <Trans>No version is live</Trans>
    )}
    <span>
      · <Plural value={versionCount} one="# version" other="# versions" />
    </span>
  </span>
)
