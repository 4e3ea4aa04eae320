import { Type } from 'typebox'
import { changes, creates, defineCalls, deletes, lists } from '../call.ts'
import {
  ListQuery,
  Nullable,
  optional,
  SearchText,
  stored,
  Strict,
  Timestamp,
  Uuid,
} from '../shapes.ts'
import {
  accountSorting,
  accountValidities,
  expiryPattern,
  mostRoles,
  rolePattern,
} from './account.rules.ts'

const Account = Type.Object({
  /** The id of the user whom the account belongs to. */
  id: Uuid,
  roles: Type.Array(Type.String()),
  /** Null: the account does not expire. */
  expiresAt: Nullable(Timestamp),
  ...stored,
})
export type MapleAccount = Type.Static<typeof Account>

const change = optional({
  roles: Type.Array(Type.String({ pattern: rolePattern }), { maxItems: mostRoles }),
  expiresAt: Nullable(Type.String({ format: 'date-time', pattern: expiryPattern, maxLength: 32 })),
})
const query = Strict({ id: Uuid })

export const mapleAccountCalls = defineCalls('maple', {
  'GET /api/maple/account': {
    summary: 'List Maple accounts',
    access: 'admin',
    query: ListQuery(
      {
        q: SearchText('The beginning of an id, or a whole id'),
        validity: Type.Enum(accountValidities),
      },
      accountSorting,
    ),
    ...lists(Account),
  },
  'POST /api/maple/account': {
    summary: 'Register a Maple account for a user id',
    access: 'admin',
    body: Strict({ id: Uuid, ...change }),
    ...creates(Account, 'already_exists'),
  },
  'PUT /api/maple/account': {
    summary: 'Change the roles and expiry of a Maple account',
    access: 'admin',
    query,
    body: Strict(change),
    ...changes(Account),
  },
  'DELETE /api/maple/account': {
    summary: 'Delete a Maple account',
    access: 'admin',
    query,
    ...deletes,
  },
})
