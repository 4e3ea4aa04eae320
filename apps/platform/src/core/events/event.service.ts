import type { Calls, QueryOf, ResponseOf, ServiceName } from '@grove/contract'
import type { Db } from '../database/database.ts'
import { keysetPage, keysetRange } from '../database/keyset-page.ts'
import type { Events } from './define-events.ts'
import { pageOfEvents } from './event.queries.ts'

type Call = Calls[`GET /api/${ServiceName}/event`]

const newestFirst = { name: 'at desc', value: 'timestamp', tiebreak: 'integer' } as const

export async function listEvents(
  { db, events }: { db: Db; events: Events<never> },
  { cursor, limit = 50, ...filter }: QueryOf<Call>,
): Promise<ResponseOf<Call>> {
  const range = keysetRange(newestFirst, cursor, limit)
  const rows = await pageOfEvents(db, events.schema, filter, range)
  const page = keysetPage(newestFirst, range, rows, ({ at, id }) => ({
    value: at,
    tiebreak: String(id),
  }))
  return { ...page, actions: events.actions() }
}
