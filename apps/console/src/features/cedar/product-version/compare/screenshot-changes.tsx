import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { locales } from '@grove/contract/locale.rules'
import { useLingui } from '@lingui/react/macro'
import { localeNames } from '../../../../ui/i18n/locale.ts'
import { Section } from '../../../../ui/page/section.tsx'
import { changesOf } from '../release/changes.ts'
import styles from './compare.page.module.css'

type Image = ProductVersion['images'][number]

/** Screenshots added and removed. */
export function ScreenshotChanges({ version, base }: Record<'version' | 'base', ProductVersion>) {
  const { t } = useLingui()
  const { isReordered } = changesOf(version, base)
  const shots = [
    ...onlyIn(base, version).map((image) => ({ image, kind: 'removed' as const })),
    ...onlyIn(version, base).map((image) => ({ image, kind: 'added' as const })),
  ]
  const words = {
    added: t({ message: 'Added', context: 'a screenshot' }),
    removed: t({ message: 'Removed', context: 'a screenshot' }),
  }
  return (
    <Section title={t`Screenshots`}>
      {shots.length === 0 && (
        <p className="muted">
          {isReordered
            ? t`The same screenshots in another order.`
            : t`All screenshots are the same.`}
        </p>
      )}
      {locales
        .map((locale) => ({
          locale,
          here: shots.filter(({ image }) => image.localeCode === locale),
        }))
        .filter(({ here }) => here.length > 0)
        .map(({ locale, here }) => (
          <section key={locale} className={styles.text} aria-label={localeNames[locale]}>
            <h3>{localeNames[locale]}</h3>
            <div className={styles.shots}>
              {here.map(({ image, kind }) => (
                <figure key={image.id}>
                  <img src={image.url} alt="" width={image.width} height={image.height} />
                  <figcaption className={styles.word} data-kind={kind}>
                    <span aria-hidden>{kind === 'added' ? '+' : '−'}</span> {words[kind]}
                  </figcaption>
                </figure>
              ))}
            </div>
          </section>
        ))}
    </Section>
  )
}

const onlyIn = ({ images }: ProductVersion, other: ProductVersion): Image[] =>
  images.filter(
    ({ localeCode, sha256 }) =>
      !other.images.some((image) => image.localeCode === localeCode && image.sha256 === sha256),
  )
