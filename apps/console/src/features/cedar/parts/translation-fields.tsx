import { locales } from '@grove/contract/locale.rules'
import {
  versionTextLimits,
  type VersionTextField,
} from '@grove/contract/cedar/product-version.rules'
import { useLingui } from '@lingui/react/macro'
import type { FieldTexts } from '../../../ui/form/form-values.ts'
import { localeNames, type Locale } from '../../../ui/i18n/locale.ts'
import { CountedField } from './counted-field.tsx'
import { fieldLabels } from './field-labels.ts'
import { tooltip } from '../../../ui/kit/tooltip.ts'
import styles from './translation-fields.module.css'
import { isBlank, type Draft, type Texts } from './translations.ts'

interface TranslationFieldsProps {
  fields: readonly VersionTextField[]
  draft: Draft
  onChange: (draft: Draft) => void
  /** Keyed like `en-US.title`. */
  errors: FieldTexts
}

const lines: Partial<Record<VersionTextField, number>> = { description: 8, whatsNew: 4 }
const other = (locale: Locale): Locale => (locale === 'en-US' ? 'ru-RU' : 'en-US')

/** Both languages side by side, field by field. */
export function TranslationFields(props: TranslationFieldsProps) {
  const { fields, draft, onChange, errors } = props
  const { t, i18n } = useLingui()
  const isSingle = fields.length === 1
  const titleLabels = { 'en-US': t`Title in English`, 'ru-RU': t`Title in Russian` }
  return (
    <div className={styles.columns}>
      {locales.map((locale) => {
        const texts = draft[locale]
        const change = (changed: Partial<Texts>) =>
          onChange({ ...draft, [locale]: { ...texts, ...changed } })
        return (
          <fieldset key={locale} className={styles.group} aria-label={localeNames[locale]}>
            <div
              className={styles.column}
              style={{ gridRow: `span ${isSingle ? 1 : fields.length + 1}` }}
            >
              {!isSingle && (
                <div className={styles.head}>
                  <h3>{localeNames[locale]}</h3>
                  {isBlank(texts) && <span className={styles.missing}>{t`Missing`}</span>}
                  <FillButton
                    fields={fields}
                    texts={texts}
                    source={draft[other(locale)]}
                    sourceLocale={other(locale)}
                    onFill={change}
                  />
                </div>
              )}
              {fields.map((field) => (
                <CountedField
                  key={field}
                  label={isSingle ? titleLabels[locale] : i18n._(fieldLabels[field])}
                  lang={locale}
                  value={texts[field]}
                  onChange={(text) => change({ [field]: text })}
                  limit={versionTextLimits[field]}
                  lines={lines[field] ?? 1}
                  error={errors[`${locale}.${field}`]}
                />
              ))}
            </div>
          </fieldset>
        )
      })}
    </div>
  )
}

interface FillButtonProps {
  fields: readonly VersionTextField[]
  texts: Texts
  source: Texts
  sourceLocale: Locale
  onFill: (texts: Partial<Texts>) => void
}

/** Fills empty fields only, so that an accidental click loses nothing. */
function FillButton({ fields, texts, source, sourceLocale, onFill }: FillButtonProps) {
  const { t } = useLingui()
  const gaps = fields.filter((field) => texts[field].trim() === '' && source[field].trim() !== '')
  const reason = gaps.length > 0 ? undefined : t`There is no empty field to copy into.`
  return (
    <button
      type="button"
      className="button small quiet"
      aria-disabled={reason !== undefined}
      {...tooltip(reason)}
      onClick={() => onFill(Object.fromEntries(gaps.map((field) => [field, source[field]])))}
    >
      {sourceLocale === 'en-US' ? t`Copy from English` : t`Copy from Russian`}
    </button>
  )
}
