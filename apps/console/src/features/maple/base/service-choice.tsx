import { useQuery } from '@tanstack/react-query'
import { api } from '../../../session/api.ts'
import { Choice, type ChoiceProps } from './choice.tsx'
import { searchServices } from './search-services.ts'

/** Chooses a service provider, shown by name even when the form opens with one. */
export function ServiceChoice(props: Omit<ChoiceProps, 'name' | 'options'>) {
  const { value } = props
  const { data } = useQuery({
    ...api.maple.query('/api/maple/service', { query: { id: value } }),
    enabled: value !== '',
  })
  return <Choice {...props} name={data?.items[0]?.name} options={searchServices} />
}
