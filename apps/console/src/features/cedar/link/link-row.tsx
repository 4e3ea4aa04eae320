import type { Product } from '@grove/contract/cedar/product'
import type { ProductLink } from '@grove/contract/cedar/link'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { QrCode, Share2, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../session/api.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { currentLocale } from '../../../ui/i18n/locale.ts'
import { iconName } from '../../../ui/kit/tooltip.ts'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { linkAddress } from '../parts/link-address.ts'
import { cacheProduct } from '../parts/product.api.ts'
import { titleIn } from '../parts/titles.ts'
import { refreshLinks } from './link.api.ts'
import styles from './links-section.module.css'
import { QrPanel } from './qr-panel.tsx'
import { shareLink } from './share-link.ts'

interface LinkRowProps {
  product: Product
  link: ProductLink
}

/** One link of an app: where it leads, how often it is opened, and its actions. */
export function LinkRow({ product, link }: LinkRowProps) {
  const { t } = useLingui()
  const [isCodeShown, setCodeShown] = useState(false)
  const url = linkAddress(link.linkId)
  const remove = useRemoval(product, link)
  const { title } = titleIn(product.translations, currentLocale())
  const share = async () => {
    const end = await shareLink({ title, url })
    if (end === 'copied') notify({ text: t`The link is copied.` })
    if (end === 'failed')
      notify({
        kind: 'failure',
        text: t`The browser can neither share nor copy. Select the link and copy it.`,
      })
  }
  const number = link.version?.version
  return (
    <li className={styles.link}>
      <div className={styles.where}>
        <a href={url} target="_blank" rel="noreferrer" className={styles.address}>
          {url.replace(/^https?:\/\//, '')}
        </a>
        <span className="muted">
          {number === undefined ? t`Opens the live version` : t`Always opens version ${number}`}
          {link.target !== '/' && (
            <>
              {' '}
              · <code>{link.target}</code>
            </>
          )}
        </span>
      </div>
      <span className={styles.opens}>
        {t`${plural(link.opens7d, { one: '# open', other: '# opens' })} in 7 days`}
      </span>
      <div className={styles.tools}>
        <CopyButton value={url} label={t`Copy the link`} />
        <button
          type="button"
          className="button quiet icon small"
          {...iconName(t`Share the link`)}
          onClick={() => void share()}
        >
          <Share2 size={14} />
        </button>
        <button
          type="button"
          className="button quiet icon small"
          {...iconName(t`Show the QR code`)}
          onClick={() => setCodeShown(true)}
        >
          <QrCode size={14} />
        </button>
        <button
          type="button"
          className="button quiet icon small"
          {...iconName(t`Remove the link`)}
          onClick={() => void remove()}
        >
          <Trash2 size={14} />
        </button>
      </div>
      {isCodeShown && (
        <Dialog
          title={t`QR code`}
          subtitle={url}
          closeLabel={t`Close`}
          onClose={() => setCodeShown(false)}
        >
          <QrPanel title={title} url={url} />
        </Dialog>
      )}
    </li>
  )
}

function useRemoval({ productId }: Product, { linkId, opens7d }: ProductLink) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  return () =>
    confirmed({
      question: {
        title: t`Remove this link?`,
        text: t`It was opened ${plural(opens7d, { one: '# time', other: '# times' })} in the last 7 days. It will no longer work, including printed codes, and its URL is never reused.`,
        action: t`Remove`,
        isDanger: true,
      },
      change: () =>
        api.cedar.delete('/api/developer/product/{id}/link', {
          params: { id: productId },
          query: { linkId },
        }),
      done: (product) => {
        cacheProduct(product)
        return t`The link is removed.`
      },
      refresh: refreshLinks,
    })
}
