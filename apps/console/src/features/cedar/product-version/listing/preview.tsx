import { locales } from '@grove/contract/locale.rules'
import { useLingui } from '@lingui/react/macro'
import { Moon, Sun } from 'lucide-react'
import { useState } from 'react'
import { localeNames, type Locale } from '../../../../ui/i18n/locale.ts'
import { iconName } from '../../../../ui/kit/tooltip.ts'
import { localeTag } from '../../parts/titles.ts'
import { PhonePreview, type PhonePreviewProps } from './phone-preview.tsx'
import styles from './preview.module.css'

interface PreviewProps extends Pick<PhonePreviewProps, 'iconUrl' | 'version' | 'draft' | 'locale'> {
  onLocale: (locale: Locale) => void
}

const prefersDark = () => matchMedia('(prefers-color-scheme: dark)').matches

/** The phone, with a choice of language and colours. */
export function Preview({ locale, onLocale, ...content }: PreviewProps) {
  const { t } = useLingui()
  const [scheme, setScheme] = useState<'light' | 'dark'>(() => {
    const { scheme: chosen } = document.documentElement.dataset
    return chosen === 'dark' || (chosen !== 'light' && prefersDark()) ? 'dark' : 'light'
  })
  const other = scheme === 'dark' ? 'light' : 'dark'
  return (
    <div className={styles.preview}>
      <div className={styles.tools}>
        <fieldset aria-label={t`Language of the preview`} className={styles.choices}>
          {locales.map((each) => (
            <button
              key={each}
              type="button"
              className="button small"
              aria-pressed={each === locale}
              aria-label={localeNames[each]}
              onClick={() => onLocale(each)}
            >
              {localeTag(each)}
            </button>
          ))}
        </fieldset>
        <button
          type="button"
          className="button quiet icon small"
          {...iconName(other === 'dark' ? t`Show in dark colours` : t`Show in light colours`)}
          onClick={() => setScheme(other)}
        >
          {other === 'dark' ? <Moon size={14} aria-hidden /> : <Sun size={14} aria-hidden />}
        </button>
      </div>
      <PhonePreview {...content} locale={locale} scheme={scheme} />
    </div>
  )
}
