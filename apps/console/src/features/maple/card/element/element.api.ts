import { queryOptions } from '@tanstack/react-query'
import { itemsOf } from '../../../../api/items.ts'
import { invalidate } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import { elementList, elementQuery } from './element.search.ts'

const path = '/api/maple/se/element'
const items = itemsOf((cplc) => api.maple.query(path, { query: { cplc } }))

export const elements = {
  list: elementList,
  query: (page: ReturnType<typeof elementList.page>) =>
    api.maple.query(path, { query: elementQuery(page) }),
  ...items,
  /**
   * After a change: refetches what an element's page shows, and the timelines and devices that show
   * it.
   */
  refresh: (saved?: Parameters<typeof items.refresh>[0]) =>
    Promise.all([
      items.refresh(saved),
      ...[
        '/api/maple/se/domains',
        '/api/maple/se/keys',
        '/api/maple/se/card',
        '/api/maple/se/applets',
        '/api/maple/event',
        '/api/maple/se/timeline',
        '/api/maple/device',
      ].map((stale) => invalidate('maple', stale)),
    ]),
}

/** Other people approve first, and then a job changes the element. */
const liveMs = 3000

/** One element by its CPLC, or by a former one. */
export const elementByCplc = (cplc: string) =>
  queryOptions({
    ...api.maple.query(path, { query: { cplc } }),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ approvals }) => approvals.length > 0) ? liveMs : false,
  })

/** The elements with a chip ID, once the ID is complete. */
export const elementsOfChip = (chip: string) =>
  api.maple.query(path, { query: { q: chip, limit: 8 } })

export const profilesQuery = () => api.maple.query('/api/maple/se/profiles', {})

export const domainsQuery = (cplc: string) =>
  api.maple.query('/api/maple/se/domains', { query: { cplc } })

/** After a profile change: refetches the elements, which show theirs. */
export const refreshProfiles = () =>
  Promise.all([invalidate('maple', '/api/maple/se/profiles'), elements.refresh()])
