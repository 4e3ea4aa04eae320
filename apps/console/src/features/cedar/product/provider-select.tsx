import type { Provider } from '@grove/contract'
import { useLingui } from '@lingui/react/macro'
import { currentLocale } from '../../../ui/i18n/locale.ts'

interface ProviderSelectProps {
  id: string
  providers: readonly Provider[]
  value: string | undefined
  onChange: (providerId: string) => void
}

export function ProviderSelect({ id, providers, value, onChange }: ProviderSelectProps) {
  const nameOf = useProviderName()
  return (
    <select
      id={id}
      className="select"
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {providers.map((provider) => (
        <option key={provider.id} value={provider.id}>
          {nameOf(provider)}
        </option>
      ))}
    </select>
  )
}

/** A provider's name in the reader's language, or in another that it has. */
export function useProviderName() {
  const { t } = useLingui()
  const locale = currentLocale()
  return ({ translations, isDefault }: Provider) =>
    (translations.find(({ localeCode }) => localeCode === locale) ?? translations[0])?.name ??
    (isDefault ? t`My own apps` : t`Unnamed provider`)
}
