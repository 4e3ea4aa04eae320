import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import {
  NoContent,
  Nullable,
  Page,
  pageQuery,
  SearchText,
  sortQuery,
  Strict,
  Timestamp,
  Uuid,
} from '../shapes.ts'
import {
  accountSorts,
  accountValidities,
  defaultAccountOrder,
  defaultAccountSort,
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
  revision: Type.Integer(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type MapleAccount = Type.Static<typeof Account>

const change = {
  roles: Type.Optional(Type.Array(Type.String({ pattern: rolePattern }), { maxItems: mostRoles })),
  expiresAt: Type.Optional(
    Nullable(Type.String({ format: 'date-time', pattern: expiryPattern, maxLength: 32 })),
  ),
}

export const mapleAccountCalls = defineCalls('maple', {
  'GET /api/maple/account': {
    summary: 'List Maple accounts',
    access: 'admin',
    query: Strict({
      ...pageQuery,
      q: Type.Optional(SearchText('The beginning of an id, or a whole id')),
      validity: Type.Optional(Type.Enum(accountValidities)),
      ...sortQuery(accountSorts, defaultAccountSort, defaultAccountOrder),
    }),
    response: Page(Account),
    problems: ['bad_cursor'],
  },
  'POST /api/maple/account': {
    summary: 'Register a Maple account for a user id',
    access: 'admin',
    body: Strict({ id: Uuid, ...change }),
    response: Account,
    status: 201,
    problems: ['already_exists'],
  },
  'PUT /api/maple/account': {
    summary: 'Change the roles and expiry of a Maple account',
    access: 'admin',
    query: Strict({ id: Uuid }),
    body: Strict(change),
    response: Account,
    problems: ['not_found', 'edit_conflict'],
  },
  'DELETE /api/maple/account': {
    summary: 'Delete a Maple account',
    access: 'admin',
    query: Strict({ id: Uuid }),
    response: NoContent,
    status: 204,
    problems: ['not_found', 'edit_conflict'],
  },
})
