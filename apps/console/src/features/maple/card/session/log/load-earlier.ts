import type { Exchange } from '@grove/contract/maple/card/session'
import { largestPage } from '@grove/contract/page.rules'
import type { QueryClient } from '@tanstack/react-query'
import { api } from '../../../../../session/api.ts'
import { path } from '../session.api.ts'

/** The page of exchanges that ends with this one, ordered by number. */
export async function loadEarlier(
  client: QueryClient,
  id: string,
  last: number,
): Promise<Exchange[]> {
  const from = Math.max(1, last - largestPage + 1)
  const { items } = await client.fetchQuery(
    api.maple.query(`${path}/{id}/exchange`, {
      params: { id },
      query: { from, limit: last - from + 1, order: 'asc' },
    }),
  )
  return items.filter(({ seq }) => seq <= last)
}
