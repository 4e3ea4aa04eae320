import { useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import type { Product } from '@grove/contract/cedar/product'
import { api } from '../../../session/api.ts'
import { currentLocale } from '../../../ui/i18n/locale.ts'
import { Combobox } from '../../../ui/kit/combobox.tsx'
import { titleIn } from '../parts/titles.ts'

/** Nobody reads further; typing narrows the results. */
const shownApps = 50

async function searchApps(query: string, signal: AbortSignal) {
  const q = query.trim()
  const { items } = await api.cedar.get('/api/developer/product', {
    query: { limit: shownApps, sort: 'title', order: 'asc', ...(q !== '' && { q }) },
    signal,
  })
  return items.map(optionOf)
}

const optionOf = ({ productId, translations }: Product) => ({
  id: productId,
  label: titleIn(translations, currentLocale()).title,
})

interface AppFieldProps {
  /** Undefined until one is chosen. */
  product: Product | undefined
  error: string | undefined
  onChange: (productId: string) => void
}

/** The app that a notification belongs to: the service searches, however many there are. */
export function AppField({ product, error, onChange }: AppFieldProps) {
  const { t } = useLingui()
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{t`App`}</label>
      <Combobox
        label={t`App`}
        placeholder={t`Choose an app`}
        value={product ? optionOf(product) : null}
        options={searchApps}
        button={{
          id,
          'aria-invalid': error ? true : undefined,
          'aria-describedby': error ? `${id}-error` : undefined,
        }}
        onChange={(option) => option && onChange(option.id)}
      />
      {error && (
        <div id={`${id}-error`} className="field-error">
          {error}
        </div>
      )}
    </div>
  )
}
