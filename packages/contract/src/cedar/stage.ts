import { Type } from 'typebox'
import { mapleRights } from '../maple/access/right.rules.ts'
import { defineCalls } from '../call.ts'
import { Nullable, Strict, Timestamp, Uuid } from '../shapes.ts'

/** A provider that the caller can work for. */
export const Stage = Type.Object({
  providerId: Uuid,
  /** The provider’s name in English. */
  name: Type.String(),
  /** The API key of the request; null for a person. */
  keyId: Nullable(Uuid),
  /** The scopes of an API key; null: everything that a working stage allows. */
  scopes: Nullable(Type.Array(Type.Enum(mapleRights))),
  /** When the API key of the request expires; null: never. */
  endsAt: Type.Optional(Nullable(Timestamp)),
})
export type Stage = Type.Static<typeof Stage>

export const stageCalls = defineCalls('cedar', {
  'GET /api/provider/stage': {
    summary: 'The working stage that the caller has in a provider',
    description:
      'An enabled provider with an API key, which is nobody’s generic one, is a working stage of its members. An API key is asked without a provider: it has its own. An admin can work for every organisation. Everything else answers 404, whether the provider exists or not.',
    access: 'developer',
    takesKey: 'api',
    query: Strict({ providerId: Type.Optional(Uuid) }),
    response: Stage,
    problems: ['not_found'],
  },
})
