import type { Calls, QueryOf, ResponseOf, ServiceName } from '@grove/contract'
import type { Db } from '../database/database.ts'
import type { Events } from './define-events.ts'
import { eventList } from './event.queries.ts'

type Call = Calls[`GET /api/${ServiceName}/event`]

/** The newest first. */
export async function listEvents(
  { db, events }: { db: Db; events: Events<never> },
  query: QueryOf<Call>,
): Promise<ResponseOf<Call>> {
  return { ...(await eventList.read(db, query, events.schema)), actions: events.actions() }
}
