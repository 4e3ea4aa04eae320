import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import { LocaleCode, Name, noContent, Nullable, Right, Strict, Timestamp, Uuid } from '../shapes.ts'
import { maxNameLength } from './account.rules.ts'
import { Password } from './shapes.ts'

const Identity = Type.Object({
  id: Uuid,
  broker: Type.String(),
  /** The broker's display name. */
  brokerName: Type.String(),
  name: Nullable(Type.String()),
  email: Nullable(Type.String()),
  linkedAt: Timestamp,
  lastUsedAt: Timestamp,
  rights: Type.Object({ unlink: Right('last_sign_in_method') }),
})
export type Identity = Type.Static<typeof Identity>

const Profile = Type.Object({
  id: Uuid,
  /** null for an account created by an identity without a verified address. */
  email: Nullable(Type.String()),
  emailVerifiedAt: Nullable(Timestamp),
  name: Nullable(Type.String()),
  locale: LocaleCode,
  roles: Type.Array(Type.String()),
  hasPassword: Type.Boolean(),
  identities: Type.Array(Identity),
  createdAt: Timestamp,
})
export type Profile = Type.Static<typeof Profile>

export const Session = Type.Object({
  id: Uuid,
  /** Whether it is the session of this call. */
  isCurrent: Type.Boolean(),
  method: Type.Enum(['password', 'signUp', 'external']),
  userAgent: Type.String(),
  /** The network of its last use, such as `192.0.2.0/24`. */
  network: Type.String(),
  createdAt: Timestamp,
  lastUsedAt: Timestamp,
  expiresAt: Timestamp,
})
export type AccountSession = Type.Static<typeof Session>

export const profileCalls = defineCalls('auth', 'signedIn', {
  'GET /api/user/profile': {
    summary: 'The signed-in account',
    response: Profile,
    problems: ['account_disabled'],
  },
  'PUT /api/user/profile': {
    summary: 'Change name and language',
    body: Strict({
      name: Nullable(Name(maxNameLength)),
      locale: LocaleCode,
    }),
    response: Profile,
    problems: ['account_disabled'],
  },
  'PUT /api/user/password': {
    summary: 'Change the password',
    description: 'Ends every other session of the account.',
    body: Strict({ password: Password, newPassword: Password }),
    ...noContent,
    problems: ['wrong_password', 'too_many_attempts', 'account_disabled'],
  },
  'GET /api/user/session': {
    summary: 'List the account’s sessions, most recently used first',
    response: Type.Object({ items: Type.Array(Session) }),
    problems: ['account_disabled'],
  },
  'DELETE /api/user/session/{id}': {
    summary: 'End a session',
    ...noContent,
    problems: ['account_disabled'],
  },
  'DELETE /api/user/session': {
    summary: 'End every other session',
    response: Type.Object({ ended: Type.Integer() }),
    problems: ['account_disabled'],
  },
})
