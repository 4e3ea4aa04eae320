import { queryClient } from '../../../../api/query-client.ts'
import { services } from './service.api.ts'

/** Titles the page; a service provider that cannot be loaded shows why on the page. */
export async function loadService(id: string) {
  const page = await queryClient.ensureQueryData(services.one(id)).catch(() => undefined)
  return { title: page?.items.find((each) => each.id === id)?.name ?? id }
}
