import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import { mapleRights, stageRights } from '../maple/access/right.rules.ts'
import { Name, noContent, Nullable, Strict, Timestamp, Uuid } from '../shapes.ts'
import {
  apiKeyDays,
  apiKeyPrefix,
  maxApiKeyDays,
  maxApiKeyNameLength,
  maxApiKeys,
} from './api-key.rules.ts'
import { apiKeyOverlapHours } from './moby-api.rules.ts'

const facts = {
  id: Uuid,
  /** Null: an admin chose the key. */
  name: Nullable(Type.String()),
  /** The last characters of the key, to tell keys apart. */
  last4: Type.String(),
  /** The rights that the key has in Maple; null: everything that a working stage allows. */
  scopes: Nullable(Type.Array(Type.Enum(mapleRights))),
  /** The user id of its creator. */
  createdBy: Nullable(Type.String()),
  createdAt: Timestamp,
  /** Null: the key does not end. */
  endsAt: Nullable(Timestamp),
  /** To the minute; null: never used. */
  lastUsedAt: Nullable(Timestamp),
}

const ApiKey = Type.Object(facts)
export type ApiKey = Type.Static<typeof ApiKey>

const NewApiKey = Type.Object({ ...facts, key: Type.String() })
export type NewApiKey = Type.Static<typeof NewApiKey>

export const apiKeyCalls = defineCalls('cedar', 'developer', {
  'GET /api/provider/{id}/key': {
    summary: 'List the API keys of a provider that work now, the newest first',
    response: Type.Object({ items: Type.Array(ApiKey) }),
  },
  'POST /api/provider/{id}/key': {
    summary: 'Create an API key of a provider',
    description: `Only this answer has the key, which begins with \`${apiKeyPrefix}\`: the platform keeps its hash. It stands for the working stage of its provider in the calls of Maple that keep to one, for as long as its maker belongs to the provider. With \`replaces\` it takes the place of another key, which works for ${apiKeyOverlapHours} hours more. A provider has at most ${maxApiKeys} keys.`,
    body: Strict({
      name: Name(maxApiKeyNameLength),
      scopes: Type.Array(Type.Enum([...stageRights]), {
        minItems: 1,
        uniqueItems: true,
        examples: [['device.read']],
      }),
      expiresInDays: Type.Optional(
        Nullable(Type.Integer({ minimum: 1, maximum: maxApiKeyDays, default: apiKeyDays[1] })),
      ),
      replaces: Type.Optional(Uuid),
    }),
    response: NewApiKey,
    status: 201,
    problems: ['limit_reached', 'provider_is_personal'],
  },
  'DELETE /api/provider/{id}/key/{keyId}': {
    summary: 'Revoke an API key of a provider at once',
    params: Strict({ id: Uuid, keyId: Uuid }),
    ...noContent,
  },
})
