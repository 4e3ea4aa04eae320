import { useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import { chooseLocale, currentLocale, localeNames, type Locale } from '../i18n/locale.ts'
import { chooseColourScheme, useColourScheme, type ColourScheme } from './colour-scheme.ts'
import styles from './preferences.module.css'

interface PreferencesProps {
  /** Shows a description for each switch. */
  isLabelled?: boolean
  /** Called with the language that the reader chose, once it is active. */
  onLanguage?: (locale: Locale) => void
}

/** The language and colour-scheme switches. */
export function Preferences({ isLabelled = false, onLanguage }: PreferencesProps) {
  const { t } = useLingui()
  const id = useId()
  const scheme = useColourScheme()
  const choose = async (locale: Locale) => {
    await chooseLocale(locale)
    onLanguage?.(locale)
  }
  const label = isLabelled ? undefined : 'visually-hidden'
  return (
    <div className={styles.preferences} data-labelled={isLabelled || undefined}>
      <label className={label} htmlFor={`${id}-language`}>{t`Language`}</label>
      <select
        id={`${id}-language`}
        className="select quiet"
        value={currentLocale()}
        onChange={(event) => void choose(event.target.value as Locale)}
      >
        {Object.entries(localeNames).map(([locale, name]) => (
          <option key={locale} value={locale} lang={locale}>
            {name}
          </option>
        ))}
      </select>
      <label className={label} htmlFor={`${id}-scheme`}>{t`Colour scheme`}</label>
      <select
        id={`${id}-scheme`}
        className="select quiet"
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
