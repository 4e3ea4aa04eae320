import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import { accountStates, maxEmailLength } from './account.rules.ts'
import { Nullable, Page, pageQuery, Right, Strict, Timestamp, Uuid } from '../shapes.ts'

const Account = Type.Object({
  id: Uuid,
  email: Nullable(Type.String()),
  emailVerifiedAt: Nullable(Timestamp),
  name: Nullable(Type.String()),
  roles: Type.Array(Type.String()),
  disabledAt: Nullable(Timestamp),
  createdAt: Timestamp,
  lastUsedAt: Nullable(Timestamp),
  rights: Type.Object({ disable: Right('own_account') }),
})
export type Account = Type.Static<typeof Account>

export const accountAdminCalls = defineCalls('auth', 'admin', {
  'GET /api/admin/account': {
    summary: 'List accounts, the newest first',
    description: 'A search by the beginning of an email sorts by email.',
    query: Strict({
      ...pageQuery,
      q: Type.Optional(
        Type.String({
          maxLength: maxEmailLength,
          description: 'The beginning of an email, or a whole id',
        }),
      ),
      state: Type.Optional(Type.Enum(accountStates)),
    }),
    response: Page(Account),
    problems: ['bad_cursor', 'account_disabled'],
  },
  'PUT /api/admin/account/{id}': {
    summary: 'Disable or enable an account',
    description: 'Disabling ends its sessions, access tokens and keys.',
    body: Strict({ enabled: Type.Boolean() }),
    response: Account,
    problems: ['own_account', 'account_disabled'],
  },
})
