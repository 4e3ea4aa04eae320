import { itemsOf } from '../../../../api/items.ts'
import { invalidate } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import { cardList } from './software-card.search.ts'

export const path = '/api/maple/software_cards'

const items = itemsOf((id) => api.maple.query(path, { query: { id } }))

export const cards = {
  ...items,
  list: cardList,
  query: (page: ReturnType<typeof cardList.page>) => api.maple.query(path, { query: page }),
  /** A card is also an element in a device. */
  refresh: (saved?: Parameters<typeof items.refresh>[0]) =>
    Promise.all([
      items.refresh(saved),
      ...['/api/maple/software_cards/snapshots', '/api/maple/se/element', '/api/maple/device'].map(
        (stale) => invalidate('maple', stale),
      ),
    ]),
}

export const snapshotsQuery = (id: string) =>
  api.maple.query('/api/maple/software_cards/snapshots', { query: { id } })
