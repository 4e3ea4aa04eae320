import { queryClient } from '../../../api/query-client.ts'
import { providerName } from '../../../session/provider-name.ts'
import { providers } from './provider.api.ts'

/** Titles the page; a provider that cannot be loaded shows why on the page. */
export async function loadProvider(id: string) {
  const provider = await queryClient.ensureQueryData(providers.one(id)).catch(() => undefined)
  return { title: (provider && providerName(provider)) ?? id.slice(0, 8) }
}
