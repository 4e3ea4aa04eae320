import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../../../session/api.ts'

/** The AIDs that Grove knows on a card: domains, packages and applications. */
export const aidsQuery = (cplc: string) =>
  queryOptions({
    queryKey: ['maple', '/api/maple/se/applets', 'aids', cplc],
    queryFn: async ({ signal }) => {
      const query = { cplc }
      const [domains, applets] = await Promise.all([
        api.maple.get('/api/maple/se/domains', { query, signal }),
        api.maple.get('/api/maple/se/applets', { query, signal }),
      ])
      return [
        ...new Set([
          ...domains.items.map(({ aid }) => aid),
          ...applets.items.flatMap(({ packageAid, instances }) => [
            ...instances.map(({ aid }) => aid),
            packageAid,
          ]),
        ]),
      ]
    },
    // Without them there is no completion.
    retry: false,
  })
