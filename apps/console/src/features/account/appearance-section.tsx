import { Trans, useLingui } from '@lingui/react/macro'
import { Monitor, Moon, Sun } from 'lucide-react'
import { chooseColourScheme, useColourScheme } from '../../ui/preferences/colour-scheme.ts'
import { AccountSection } from './account-section.tsx'
import styles from './appearance-section.module.css'

/** The colour scheme: the same choice as in the header, with explanations. */
export function AppearanceSection() {
  const { t } = useLingui()
  const scheme = useColourScheme()
  const choices = [
    { value: 'auto', label: t`System`, icon: Monitor },
    { value: 'light', label: t`Light`, icon: Sun },
    { value: 'dark', label: t`Dark`, icon: Moon },
  ] as const
  return (
    <AccountSection
      title={t`Appearance`}
      description={<Trans>Kept in this browser; other devices have their own.</Trans>}
    >
      <fieldset className={styles.choices}>
        <legend className="visually-hidden">{t`Colour scheme`}</legend>
        {choices.map(({ value, label, icon: Icon }) => (
          <label key={value} className={styles.choice}>
            <input
              type="radio"
              name="colour-scheme"
              checked={scheme === value}
              onChange={() => chooseColourScheme(value)}
            />
            <Icon size={16} aria-hidden />
            {label}
          </label>
        ))}
      </fieldset>
    </AccountSection>
  )
}
