import type { Product } from '@grove/contract/cedar/product'
import { useLingui } from '@lingui/react/macro'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { linkAddress } from '../parts/link-address.ts'
import { Section } from '../../../ui/page/section.tsx'
import { CreateLink } from '../parts/share/create-link.tsx'
import { ShareButton } from '../parts/share/share-button.tsx'
import styles from './product-overview.module.css'

/** The short URL that opens the app. */
export function ShareSection({ product }: { product: Product }) {
  const { t } = useLingui()
  const url = product.linkId === null ? undefined : linkAddress(product.linkId)
  return (
    <Section
      title={t`Share`}
      focusOn={product.linkId}
      action={product.liveVersion && <ShareButton productId={product.productId} />}
      description={t`A short URL that opens the app’s public page, also for people without an account.`}
    >
      {url === undefined ? (
        <div>
          <CreateLink product={product} />
        </div>
      ) : (
        <p className={styles.link}>
          <a href={url} target="_blank" rel="noopener">
            {url}
          </a>
          <CopyButton value={url} label={t`Copy the link`} />
        </p>
      )}
    </Section>
  )
}
