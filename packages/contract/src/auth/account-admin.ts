import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import {
  Ids,
  noContent,
  Nullable,
  optional,
  Page,
  pageQuery,
  Right,
  Strict,
  Timestamp,
  Uuid,
} from '../shapes.ts'
import { accountRoles, accountStates, maxEmailLength, maxNamedAccounts } from './account.rules.ts'
import { Session } from './profile.ts'

const Account = Type.Object({
  id: Uuid,
  email: Nullable(Type.String()),
  emailVerifiedAt: Nullable(Timestamp),
  name: Nullable(Type.String()),
  roles: Type.Array(Type.String()),
  disabledAt: Nullable(Timestamp),
  createdAt: Timestamp,
  lastUsedAt: Nullable(Timestamp),
  rights: Type.Object({
    disable: Right('own_account'),
    changeRole: Right('own_account'),
    resetPassword: Right('account_not_enabled', 'email_missing', 'mail_unavailable'),
    endSessions: Right('own_account'),
  }),
})
export type Account = Type.Static<typeof Account>

export const accountAdminCalls = defineCalls('auth', 'admin', {
  'GET /api/admin/account': {
    summary: 'List accounts, the newest first',
    description: 'A search sorts by email.',
    query: Strict({
      ...pageQuery,
      q: Type.Optional(
        Type.String({
          maxLength: maxEmailLength,
          description:
            'The beginning of an email, words of a name or an email or their beginnings, or a whole id',
        }),
      ),
      ids: Type.Optional(Ids(maxNamedAccounts)),
      state: Type.Optional(Type.Enum(accountStates)),
    }),
    response: Page(Account),
    problems: ['bad_cursor', 'account_disabled'],
  },
  'PUT /api/admin/account/{id}': {
    summary: 'Disable or enable an account, or change its role',
    description:
      'Disabling ends its sessions, access tokens and keys. A role that is taken away ends with the next call.',
    body: Strict(optional({ enabled: Type.Boolean(), role: Type.Enum(accountRoles) })),
    response: Account,
    problems: ['own_account', 'account_disabled'],
  },
  'POST /api/admin/account/{id}/resetPassword': {
    summary: 'Send the owner of an account the link to a new password',
    ...noContent,
    problems: [
      'account_disabled',
      'account_not_enabled',
      'email_missing',
      'mail_unavailable',
      'console_address_unknown',
      'too_many_attempts',
    ],
  },
  'GET /api/admin/account/{id}/session': {
    summary: 'List the sessions of an account, most recently used first',
    response: Type.Object({ items: Type.Array(Session) }),
    problems: ['account_disabled'],
  },
  'DELETE /api/admin/account/{id}/session': {
    summary: 'End every session of an account',
    response: Type.Object({ ended: Type.Integer() }),
    problems: ['own_account', 'account_disabled'],
  },
  'DELETE /api/admin/account/{id}/session/{sessionId}': {
    summary: 'End a session of an account',
    params: Strict({ id: Uuid, sessionId: Uuid }),
    ...noContent,
    problems: ['not_found', 'own_account', 'account_disabled'],
  },
})
