import type { CatalogueProductDetails } from '@grove/contract/cedar/catalogue'
import { Trans, useLingui } from '@lingui/react/macro'
import { imageAddress } from '../../session/image-address.ts'
import { currentLocale } from '../../ui/i18n/locale.ts'
import { Bytes } from '../../ui/i18n/bytes.tsx'
import styles from './app-description.module.css'
import { CopyLink } from './copy-link.tsx'
import { inBestLocale, localised } from './localised.ts'
import { momentText } from '../../ui/i18n/moment-text.ts'

/** What a visitor sees of one app. */
export function AppDescription({ app }: { app: CatalogueProductDetails }) {
  const { t, i18n } = useLingui()
  const reader = currentLocale()
  const { translations } = app
  const title = localised(translations, 'title', reader)?.text ?? ''
  const summary = localised(translations, 'shortDescription', reader)
  const description = localised(translations, 'description', reader)
  const whatsNew = localised(translations, 'whatsNew', reader)
  const screenshots = inBestLocale(app.images, reader)
  return (
    <>
      <div className={styles.head}>
        <dl className={styles.facts}>
          <div>
            <dt>
              <Trans>Version</Trans>
            </dt>
            <dd>{app.version}</dd>
          </div>
          <div>
            <dt>
              <Trans>Updated</Trans>
            </dt>
            <dd>
              <time dateTime={app.releasedAt}>
                {momentText(i18n, app.releasedAt, { dateStyle: 'medium' })}
              </time>
            </dd>
          </div>
          <div>
            <dt>
              <Trans>Size</Trans>
            </dt>
            <dd>
              <Bytes value={app.bytes} />
            </dd>
          </div>
        </dl>
        <CopyLink productId={app.productId} />
      </div>
      {summary && (
        <p className={styles.summary} lang={summary.lang}>
          {summary.text}
        </p>
      )}
      {screenshots.length > 0 && (
        <ul className={styles.screenshots}>
          {screenshots.map(({ url, width, height }, index) => {
            const position = index + 1
            return (
              <li key={url}>
                <a href={imageAddress(url)} target="_blank" rel="noreferrer">
                  <img
                    src={imageAddress(url)}
                    alt={t`Screenshot ${position} of ${title}`}
                    width={width}
                    height={height}
                  />
                </a>
              </li>
            )
          })}
        </ul>
      )}
      {description && (
        <p className={styles.text} lang={description.lang}>
          {description.text}
        </p>
      )}
      {whatsNew && (
        <section className={styles.news}>
          <h3>
            <Trans>What’s new</Trans>
          </h3>
          <p className={styles.text} lang={whatsNew.lang}>
            {whatsNew.text}
          </p>
        </section>
      )}
    </>
  )
}
