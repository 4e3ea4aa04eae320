import type { Product } from '@grove/contract/cedar/product'
import { useLingui } from '@lingui/react/macro'
import { Link2 } from 'lucide-react'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { linkAddress } from '../parts/link-address.ts'
import { Section } from '../../../ui/page/section.tsx'
import { useLink } from './use-link.ts'
import styles from './product-overview.module.css'

/** The short address that opens the app. */
export function ShareSection({ product }: { product: Product }) {
  const { t } = useLingui()
  const { mutate, isPending } = useLink(product)
  const url = product.linkId === null ? undefined : linkAddress(product.linkId)
  return (
    <Section
      title={t`Share`}
      focusOn={product.linkId}
      description={t`A short URL that opens the app’s public page, also for people without an account.`}
    >
      {url === undefined ? (
        <div>
          <button
            type="button"
            className="button"
            aria-disabled={isPending}
            onClick={() => !isPending && mutate(true)}
          >
            <Link2 size={16} aria-hidden />
            {t`Create a link`}
          </button>
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
