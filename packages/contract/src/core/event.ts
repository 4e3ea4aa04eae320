import { Type } from 'typebox'
import { defineCalls, type CallDefinition, type ServiceName } from '../call.ts'
import { serviceIdPattern } from '../maple/access/service.rules.ts'
import { Nullable, Page, pageQuery, Strict, Timestamp } from '../shapes.ts'

const Event = Type.Object({
  id: Type.Integer(),
  at: Timestamp,
  /** The user who acted; null for the platform itself and for people who are not signed in. */
  actor: Nullable(Type.String()),
  /** The action, such as `product.update`. */
  action: Type.String(),
  /** The id of its subject. */
  subject: Type.String(),
  ip: Nullable(Type.String()),
  userAgent: Nullable(Type.String()),
  requestId: Nullable(Type.String()),
  /** The bulk change or similar that it is part of; null for a single change. */
  partOf: Nullable(Type.String()),
  /** The subject before and after the change; null where there is nothing to compare. */
  before: Type.Unknown(),
  after: Type.Unknown(),
})
export type Event = Type.Static<typeof Event>

const text = Type.Optional(Type.String({ minLength: 1, maxLength: 200 }))

const list = {
  summary: 'List the events of a service, the newest first',
  description:
    'A change of many is one event. Those of its parts come with `partOf`, and with the id of a subject.',
  access: 'admin',
  query: Strict({
    ...pageQuery,
    q: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'The id of an actor or a subject' }),
    ),
    actor: text,
    action: text,
    subject: text,
    partOf: text,
    from: Type.Optional(Type.String({ format: 'date-time', description: 'At or after' })),
    to: Type.Optional(Type.String({ format: 'date-time', description: 'Before' })),
  }),
  response: Type.Object({
    ...Page(Event).properties,
    /** Every action that this service records. */
    actions: Type.Array(Type.String()),
  }),
  problems: ['bad_cursor'],
} as const satisfies CallDefinition

/** Each service serves its own events, so that services can run separately. */
export const eventCallsOf = <S extends ServiceName>(service: S) =>
  defineCalls(service, { [`GET /api/${service}/event`]: list } as Record<
    `GET /api/${S}/event`,
    typeof list
  >)

/** Maple's events have a service provider. */
export const mapleEventCalls = defineCalls('maple', {
  'GET /api/maple/event': {
    ...list,
    access: { right: 'event.read', isScoped: true },
    query: Strict({
      ...list.query.properties,
      serviceId: Type.Optional(Type.String({ pattern: serviceIdPattern })),
    }),
  },
})
