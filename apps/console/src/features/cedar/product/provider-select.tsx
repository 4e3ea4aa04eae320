import type { Provider } from '@grove/contract'
import { useLingui } from '@lingui/react/macro'
import { currentLocale } from '../../../ui/i18n/locale.ts'

interface ProviderSelectProps {
  id?: string
  providers: readonly Provider[]
  value: string | undefined
  /** The choice of none of them; without it one must be chosen. */
  any?: string
  onChange: (providerId: string | undefined) => void
}

export function ProviderSelect({ id, providers, value, any, onChange }: ProviderSelectProps) {
  const { t } = useLingui()
  const locale = currentLocale()
  const nameOf = ({ translations, isDefault }: Provider) =>
    (translations.find(({ localeCode }) => localeCode === locale) ?? translations[0])?.name ??
    (isDefault ? t`My own apps` : t`Unnamed provider`)
  return (
    <select
      id={id}
      className="select"
      aria-label={id ? undefined : t`Provider`}
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value || undefined)}
    >
      {any !== undefined && <option value="">{any}</option>}
      {providers.map((provider) => (
        <option key={provider.id} value={provider.id}>
          {nameOf(provider)}
        </option>
      ))}
    </select>
  )
}
