import type { Provider } from '@grove/contract/cedar/provider'
import { useProviderName } from '../parts/use-provider-name.ts'

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
