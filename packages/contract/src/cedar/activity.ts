import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import { LocaleCode, Nullable, Page, pageQuery, Strict, Timestamp, Uuid } from '../shapes.ts'
import { maxExportedEvents } from './activity.rules.ts'

const Names = Nullable(Type.Array(Type.Object({ localeCode: LocaleCode, name: Type.String() })))

const Activity = Type.Object({
  id: Type.Integer(),
  at: Timestamp,
  /** The user who acted; null for the platform itself and for people who are not signed in. */
  actor: Nullable(Type.String()),
  /** The publish key that acted, revoked ones too; null for people. */
  key: Nullable(Type.Object({ name: Type.String(), createdBy: Type.String() })),
  /** The action, such as `version.enable`. */
  action: Type.String(),
  /** The id of its subject. */
  subject: Type.String(),
  providerId: Nullable(Uuid),
  productId: Nullable(Uuid),
  /** Current names; null for deleted ones. */
  providerNames: Names,
  productNames: Names,
  version: Nullable(Type.String()),
  /** The subject before and after the change; null where there is nothing to compare. */
  before: Type.Unknown(),
  after: Type.Unknown(),
})
export type Activity = Type.Static<typeof Activity>

const text = Type.Optional(Type.String({ minLength: 1, maxLength: 200 }))

const filters = {
  providerId: Type.Optional(Uuid),
  productId: Type.Optional(Uuid),
  q: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'The id of an actor or a subject' }),
  ),
  actor: text,
  action: text,
  subject: text,
  from: Type.Optional(Type.String({ format: 'date-time', description: 'At or after' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Before' })),
}

export const activityCalls = defineCalls('cedar', 'developer', {
  'GET /api/developer/activity': {
    summary: 'List what happened to providers, products and versions, the newest first',
    description:
      'Developers see the events of their own providers. A product shows its versions’ events too.',
    query: Strict({ ...pageQuery, ...filters }),
    response: Type.Object({
      ...Page(Activity).properties,
      /** Every action that can be filtered by. */
      actions: Type.Array(Type.String()),
    }),
    problems: ['bad_cursor', 'not_found'],
  },
  'GET /api/developer/activity/csv': {
    summary: 'The same as a table in a CSV file',
    description: `At most ${maxExportedEvents} events; choose days to read more.`,
    query: Strict(filters),
    response: Type.Any(),
    produces: 'text/csv',
    problems: ['not_found'],
  },
})
