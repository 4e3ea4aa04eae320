import type { CatalogueProduct } from '@grove/contract/cedar/catalogue'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { currentLocale } from '../../ui/i18n/locale.ts'
import styles from './app-card.module.css'
import { AppIcon } from './app-icon.tsx'
import frame from './catalogue-frame.module.css'
import { localised } from './localised.ts'
import { ProviderName } from './provider-name.tsx'
import { momentText } from '../../ui/i18n/moment-text.ts'

/** Where the focus returns when the app's details close. */
export const cardLinkId = (productId: string) => `app-${productId}`

interface AppCardProps {
  app: CatalogueProduct
  onOpen: () => void
}

export function AppCard({ app, onOpen }: AppCardProps) {
  const { i18n } = useLingui()
  const reader = currentLocale()
  const title = localised(app.translations, 'title', reader)
  const text = localised(app.translations, 'shortDescription', reader)
  const date = momentText(i18n, app.releasedAt, { dateStyle: 'medium' })
  return (
    <li className={`${frame.card} ${styles.card}`}>
      <AppIcon url={app.iconUrl} title={title?.text ?? ''} />
      <div className={styles.texts}>
        <h3 lang={title?.lang}>
          <Link
            id={cardLinkId(app.productId)}
            className={styles.link}
            to="/"
            search={(search) => ({ ...search, app: app.productId })}
            resetScroll={false}
            preload={false}
            onClick={onOpen}
          >
            <bdi>{title?.text}</bdi>
          </Link>
        </h3>
        <p className={styles.provider}>
          <ProviderName provider={app.provider} />
        </p>
        <p className={styles.text} lang={text?.lang}>
          {text?.text}
        </p>
        <p className={styles.date}>
          <Trans>
            Updated <time dateTime={app.releasedAt}>{date}</time>
          </Trans>
        </p>
      </div>
    </li>
  )
}
