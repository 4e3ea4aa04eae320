import { useLingui } from '@lingui/react/macro'
import { currentLocale, localeNames, type Locale } from '../../../ui/i18n/locale.ts'
import { tooltip } from '../../../ui/kit/tooltip.ts'
import styles from './localised-title.module.css'
import { localeTag, titleIn } from './titles.ts'

/** A title in the reader's locale; if it is missing, another one, labelled with its language. */
export function LocalisedTitle({
  translations,
}: {
  translations: readonly { localeCode: Locale; title: string }[]
}) {
  const { t } = useLingui()
  const reader = currentLocale()
  const { title, localeCode } = titleIn(translations, reader)
  if (localeCode === reader) return <bdi className={styles.title}>{title}</bdi>
  const hint = t`There is no title in your language; this one is in another.`
  return (
    <>
      <bdi className={styles.title} lang={localeCode}>
        {title}
      </bdi>
      <LocaleBadge locale={localeCode} hint={hint} />
    </>
  )
}

/** EN or RU. */
export const LocaleBadge = ({ locale, hint }: { locale: Locale; hint?: string }) => (
  <abbr className={styles.badge} {...tooltip(hint ?? localeNames[locale])}>
    {localeTag(locale)}
  </abbr>
)
