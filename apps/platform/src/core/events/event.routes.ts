import { eventCalls } from '@grove/contract/core/event-calls'
import type { ServiceName } from '@grove/contract/call'
import type { FastifyInstance } from 'fastify'
import type { Db } from '../database/database.ts'
import { readStale, type Replica } from '../database/replica.ts'
import { addCall } from '../http/add-call.ts'
import type { Events } from './define-events.ts'
import { listEvents } from './event.service.ts'

/** Each service serves its own events. */
export function addEventRoutes(
  app: FastifyInstance,
  context: { db: Db; events: Events<never>; replica?: Replica | undefined },
): void {
  const service = context.events.schema as ServiceName
  addCall(app, eventCalls, `GET /api/${service}/event`, ({ actor, query }) =>
    readStale(context, actor, (from) => listEvents(from, actor, query)),
  )
}
