import type { Calls } from '@grove/contract/calls'
import type { ResponseOf, ServiceName } from '@grove/contract/call'
import { scopeOf, serviceOf } from '../scope.ts'
import type { AnyActor } from '../actor.ts'
import type { Db } from '../database/database.ts'
import type { Events } from './define-events.ts'
import { eventList, type EventQuery } from './event.queries.ts'

type Call = Calls[`GET /api/${ServiceName}/event`]

/** Newest first. */
export async function listEvents(
  { db, events }: { db: Db; events: Events<never> },
  actor: AnyActor,
  query: EventQuery,
): Promise<ResponseOf<Call>> {
  const scope = scopeOf(actor)
  const page = await eventList.read(db, query, { schema: events.schema, scope })
  // Scoped readers do not see IP addresses and browsers of the platform's staff; a job's events have
  // none.
  const items =
    serviceOf(scope) === null
      ? page.items
      : page.items.map((event) => ({
          ...event,
          ip: null,
          userAgent: event.ip === '' ? event.userAgent : null,
          requestId: null,
        }))
  return { ...page, items, actions: events.actions() }
}
