import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { useLingui } from '@lingui/react/macro'
import { imageAddress } from '../../../../session/image-address.ts'
import type { Locale } from '../../../../ui/i18n/locale.ts'
import { ProductIcon } from '../../parts/product-icon.tsx'
import type { Draft } from '../../parts/translations.ts'
import { catalogueWords, listingIn } from './listing-texts.ts'
import styles from './phone-preview.module.css'

export interface PhonePreviewProps {
  iconUrl: string | null
  version: ProductVersion
  /** The texts as they are typed. */
  draft: Draft
  locale: Locale
  scheme: 'light' | 'dark'
}

/** The listing as a phone's catalogue shows it. */
export function PhonePreview({ iconUrl, version, draft, locale, scheme }: PhonePreviewProps) {
  const { t } = useLingui()
  const listing = listingIn(draft, version.images, locale)
  const words = catalogueWords[locale]
  const { title, shortDescription, description, whatsNew, images } = listing
  return (
    <div className={styles.phone} data-scheme={scheme}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it */}
      <div className={styles.screen} tabIndex={0}>
        <div className={styles.head}>
          <ProductIcon url={iconUrl} size={64} />
          <div>
            <p className={styles.title} lang={title?.lang}>
              {title ? <bdi>{title.text}</bdi> : <Missing>{t`Title`}</Missing>}
            </p>
            <p className={styles.version}>{version.version}</p>
            {/* Only a drawing: it shows where the catalogue has its button. */}
            <span className={styles.open} aria-hidden>
              {words.open}
            </span>
          </div>
        </div>
        <p className={styles.text} lang={shortDescription?.lang}>
          {shortDescription?.text ?? <Missing>{t`Short description`}</Missing>}
        </p>
        {images.length > 0 ? (
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it
          <div className={styles.images} tabIndex={0}>
            {images.map(({ id, url, width, height }) => (
              <img
                key={id}
                src={imageAddress(url)}
                alt=""
                width={width}
                height={height}
                loading="lazy"
              />
            ))}
          </div>
        ) : (
          <div className={styles.noImages}>
            <Missing>{t`Screenshots`}</Missing>
          </div>
        )}
        {whatsNew && (
          <>
            <p className={styles.heading} lang={locale}>
              {words.news}
            </p>
            <p className={styles.text} lang={whatsNew.lang}>
              {whatsNew.text}
            </p>
          </>
        )}
        <p className={styles.heading} lang={locale}>
          {words.description}
        </p>
        <p className={styles.text} lang={description?.lang}>
          {description?.text ?? <Missing>{t`Description`}</Missing>}
        </p>
      </div>
    </div>
  )
}

/** A placeholder for something that is missing. */
const Missing = ({ children }: { children: string }) => (
  <span className={styles.missing}>{children}</span>
)
