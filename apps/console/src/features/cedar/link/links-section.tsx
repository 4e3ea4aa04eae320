import type { Product } from '@grove/contract/cedar/product'
import { useLingui } from '@lingui/react/macro'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link2, Plus } from 'lucide-react'
import { useState } from 'react'
import { problemText } from '../../../api/problem-text.ts'
import { api } from '../../../session/api.ts'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { isKnown } from '../parts/is-known.ts'
import { cacheProduct } from '../parts/product.api.ts'
import { Section } from '../../../ui/page/section.tsx'
import { LinkRow } from './link-row.tsx'
import { linksQuery, refreshLinks } from './link.api.ts'
import styles from './links-section.module.css'
import { NewLink } from './new-link.tsx'

/** The links of an app, each with its code, and ways to create another. */
export function LinksSection({ product }: { product: Product }) {
  const { t, i18n } = useLingui()
  const [isNewOpen, setNewOpen] = useState(false)
  const { productId, liveVersion, newestVersion, linkId } = product
  const links = useQuery(linksQuery(productId))
  const { data } = links
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      api.cedar.put('/api/developer/product/{id}/link', { params: { id: productId } }),
    onSuccess: (saved) => {
      cacheProduct(saved)
      return refreshLinks()
    },
    onError: (error) => notify({ kind: 'failure', text: problemText(error, i18n) }),
  })
  const getLink = (
    <button
      type="button"
      className="button primary"
      aria-disabled={isPending}
      onClick={() => !isPending && mutate()}
    >
      <Link2 size={16} aria-hidden />
      {t`Get the link`}
    </button>
  )
  return (
    <Section
      title={t`Links`}
      focusOn={linkId}
      loading={links}
      description={
        liveVersion || !isKnown(liveVersion)
          ? t`Anyone with a link sees the app’s public page; a host app opens the app.`
          : t`No version is live, so links do not work yet.`
      }
      action={
        linkId !== null && newestVersion ? (
          <button type="button" className="button" onClick={() => setNewOpen(true)}>
            <Plus size={16} aria-hidden />
            {t`New link`}
          </button>
        ) : undefined
      }
    >
      {linkId === null && data?.items.length === 0 && (
        <EmptyState
          icon={Link2}
          title={t`Share this app`}
          text={t`A short link with a QR code opens the app’s public page. It always leads to the live version.`}
          action={getLink}
        />
      )}
      {linkId === null && data && data.items.length > 0 && <p>{getLink}</p>}
      {data && data.items.length > 0 && (
        <ul className={styles.links}>
          {data.items
            .toSorted((a, b) => Number(b.linkId === linkId) - Number(a.linkId === linkId))
            .map((link) => (
              <LinkRow key={link.linkId} product={product} link={link} />
            ))}
        </ul>
      )}
      {isNewOpen && <NewLink product={product} onClose={() => setNewOpen(false)} />}
    </Section>
  )
}
