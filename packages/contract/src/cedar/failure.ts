import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import { LocaleCode, Nullable, Strict, Timestamp, Uuid } from '../shapes.ts'
import { failureDays, failureKinds, mostFailures } from './failure.rules.ts'

const Failure = Type.Object({
  kind: Type.Enum(failureKinds),
  /** The notification, or the version whose package was refused. */
  id: Uuid,
  at: Timestamp,
  productId: Uuid,
  productTitles: Type.Array(Type.Object({ localeCode: LocaleCode, title: Type.String() })),
  /** Of a refused package. */
  version: Nullable(Type.String()),
  /** Whether a publish key sent the package, for instance that of a build server. */
  isByKey: Type.Boolean(),
})
export type Failure = Type.Static<typeof Failure>

export const failureCalls = defineCalls('cedar', {
  'GET /api/developer/failure': {
    summary: 'List what failed lately and still fails, the newest first',
    description: `Notifications that failed, expired or were not sent, and versions whose latest package was refused, of the last ${failureDays} days and of the caller’s own providers; at most ${mostFailures}.`,
    access: 'developer',
    query: Strict({}),
    response: Type.Object({ items: Type.Array(Failure) }),
  },
})
