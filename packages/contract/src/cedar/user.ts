import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import { Nullable, Strict, Timestamp, Uuid } from '../shapes.ts'
import { ProviderListItem, UserId } from './provider-admin.ts'

const Membership = Type.Object({
  provider: ProviderListItem,
  isOwner: Type.Boolean(),
  /** The Moby API's names for this user. */
  roles: Type.Array(Type.String()),
})
export type Membership = Type.Static<typeof Membership>

/** A key of either kind, without the key itself. */
const UserKey = Type.Object({
  id: Uuid,
  kind: Type.Enum(['publish', 'api']),
  providerId: Uuid,
  providerNames: ProviderListItem.properties.translations,
  name: Type.String(),
  /** The last characters of the key, to tell keys apart. */
  ending: Type.String(),
  createdAt: Timestamp,
  /** Null: the key does not end. */
  endsAt: Nullable(Timestamp),
  /** To the minute; null: never used. */
  lastUsedAt: Nullable(Timestamp),
})
export type UserKey = Type.Static<typeof UserKey>

const query = Strict({ user: UserId })
const whose = 'Administrators name anybody, others themselves.'

export const userCalls = defineCalls('cedar', 'developer', {
  'GET /api/cedar/user/provider': {
    summary: 'The providers that a user belongs to, the first hundred',
    description: `The personal one first, then the oldest. ${whose}`,
    query,
    response: Type.Object({ items: Type.Array(Membership) }),
  },
  'GET /api/cedar/user/key': {
    summary: 'The publish keys and API keys that a user made and that still work, the newest first',
    description: whose,
    query,
    response: Type.Object({ items: Type.Array(UserKey) }),
  },
})
