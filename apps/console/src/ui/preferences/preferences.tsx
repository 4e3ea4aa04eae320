import { useLingui } from '@lingui/react/macro'
import { chooseColourScheme, useColourScheme, type ColourScheme } from './colour-scheme.ts'
import { chooseLocale, currentLocale, localeNames, type Locale } from '../i18n/locale.ts'
import styles from './preferences.module.css'

/** The language and colour-scheme switches. */
export function Preferences() {
  const { t } = useLingui()
  const scheme = useColourScheme()
  return (
    <div className={styles.preferences}>
      <select
        className="select quiet"
        aria-label={t`Language`}
        value={currentLocale()}
        onChange={(event) => void chooseLocale(event.target.value as Locale)}
      >
        {Object.entries(localeNames).map(([locale, name]) => (
          <option key={locale} value={locale} lang={locale}>
            {name}
          </option>
        ))}
      </select>
      <select
        className="select quiet"
        aria-label={t`Colour scheme`}
        value={scheme}
        onChange={(event) => chooseColourScheme(event.target.value as ColourScheme)}
      >
        <option value="auto">{t`System`}</option>
        <option value="light">{t`Light`}</option>
        <option value="dark">{t`Dark`}</option>
      </select>
    </div>
  )
}
