import { Type } from 'typebox'
import { creates, defineCalls, listsBy } from '../call.ts'
import { Name, noContent, Nullable, SearchText, Strict, Timestamp, Uuid } from '../shapes.ts'
import {
  keyDays,
  maxKeyDays,
  maxKeyNameLength,
  maxPublishKeys,
  publishKeyPrefix,
  publishKeySorting,
} from './publish-key.rules.ts'

const facts = {
  id: Uuid,
  providerId: Uuid,
  name: Type.String(),
  /** The last characters of the key, to tell keys apart. */
  ending: Type.String(),
  /** The user id of its creator. */
  createdBy: Type.String(),
  createdAt: Timestamp,
  /** Null: the key does not end. */
  expiresAt: Nullable(Timestamp),
  /** To the minute; null: never used. */
  lastUsedAt: Nullable(Timestamp),
}

const PublishKey = Type.Object(facts)
export type PublishKey = Type.Static<typeof PublishKey>

const NewPublishKey = Type.Object({ ...facts, key: Type.String() })
export type NewPublishKey = Type.Static<typeof NewPublishKey>

export const publishKeyCalls = defineCalls('cedar', 'developer', {
  'GET /api/developer/publishKey': {
    summary: 'List publish keys',
    ...listsBy(PublishKey, publishKeySorting, {
      providerId: Uuid,
      q: SearchText('Part of a name, or a whole id'),
    }),
    problems: ['bad_cursor', 'not_found'],
  },
  'POST /api/developer/publishKey': {
    summary: 'Create a publish key',
    description: `Only this answer has the key, which begins with \`${publishKeyPrefix}\`: the platform keeps its hash. It stands for its provider in the calls that create, read and change versions and upload packages, for as long as its maker belongs to the provider. A provider has at most ${maxPublishKeys} keys.`,
    body: Strict({
      providerId: Uuid,
      name: Name(maxKeyNameLength),
      expiresInDays: Type.Optional(
        Nullable(Type.Integer({ minimum: 1, maximum: maxKeyDays, default: keyDays[2] })),
      ),
    }),
    ...creates(NewPublishKey, 'not_found', 'limit_reached'),
  },
  'DELETE /api/developer/publishKey': {
    summary: 'Revoke a publish key',
    query: Strict({ id: Uuid }),
    ...noContent,
    problems: ['not_found'],
  },
})
