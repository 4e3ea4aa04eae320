import { queryClient } from '../../../../api/query-client.ts'
import { services } from './service.api.ts'

/** Names the page; a service provider that cannot be read says so itself. */
export async function loadService(id: string) {
  const page = await queryClient.ensureQueryData(services.one(id)).catch(() => undefined)
  return { title: page?.items.find((each) => each.id === id)?.name ?? id }
}
