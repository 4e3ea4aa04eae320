import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import {
  LocaleCode,
  Name,
  noContent,
  Nullable,
  Page,
  pageQuery,
  Right,
  Strict,
  Timestamp,
  Uuid,
} from '../shapes.ts'
import { accountRoles, maxEmailLength, maxNameLength } from './account.rules.ts'
import { invitationStates } from './invitation.rules.ts'
import { Email, Password, Realm } from './shapes.ts'

const Invitation = Type.Object({
  id: Uuid,
  email: Type.String(),
  role: Type.Enum(accountRoles),
  /** The language of the mail. */
  locale: LocaleCode,
  state: Type.Enum(invitationStates),
  /** Null: someone with a shell on the server. */
  invitedBy: Nullable(Uuid),
  createdAt: Timestamp,
  /** When the newest link was mailed, and how long it is valid. */
  sentAt: Timestamp,
  expiresAt: Timestamp,
  /** The account that was created with it. */
  accountId: Nullable(Uuid),
  rights: Type.Object({
    send: Right(
      'invitation_accepted',
      'invitation_withdrawn',
      'account_exists',
      'mail_unavailable',
    ),
    withdraw: Right('invitation_accepted', 'invitation_withdrawn'),
  }),
})
export type Invitation = Type.Static<typeof Invitation>

const mailed = ['mail_unavailable', 'console_address_unknown', 'too_many_attempts'] as const

const link = {
  token: Type.String({ minLength: 1, maxLength: 512 }),
  provider: Realm,
}
const voidLink = [
  'invalid_email_token',
  'invitation_accepted',
  'invitation_withdrawn',
  'invitation_ended',
  'account_exists',
  'too_many_attempts',
  'unknown_realm',
] as const

export const invitationCalls = defineCalls('auth', 'admin', {
  'GET /api/admin/invitation': {
    summary: 'List invitations, the newest first',
    description: 'Kept for 30 days after their link ended.',
    query: Strict({
      ...pageQuery,
      q: Type.Optional(
        Type.String({ maxLength: maxEmailLength, description: 'The beginning of an email' }),
      ),
      id: Type.Optional(Uuid),
      state: Type.Optional(Type.Enum(invitationStates)),
    }),
    response: Page(Invitation),
    problems: ['bad_cursor', 'account_disabled'],
  },
  'POST /api/admin/invitation': {
    summary: 'Invite a person by email',
    description:
      'Mails a link that works once, within 7 days. An invitation whose link ended is replaced.',
    body: Strict({ email: Email, role: Type.Enum(accountRoles), locale: LocaleCode }),
    response: Invitation,
    problems: ['account_exists', 'already_invited', 'account_disabled', ...mailed],
  },
  'POST /api/admin/invitation/{id}/send': {
    summary: 'Send an invitation again',
    description: 'With a new link, which works for 7 days; the older ones no longer do.',
    response: Invitation,
    problems: [
      'invitation_accepted',
      'invitation_withdrawn',
      'account_exists',
      'account_disabled',
      ...mailed,
    ],
  },
  'DELETE /api/admin/invitation/{id}': {
    summary: 'Withdraw an invitation',
    ...noContent,
    problems: ['invitation_accepted', 'invitation_withdrawn', 'account_disabled'],
  },
  'POST /api/user/checkInvitation': {
    summary: 'What the link of an invitation offers',
    description: 'Does not use the link.',
    access: 'public',
    body: Strict(link),
    response: Type.Object({
      email: Type.String(),
      role: Type.Enum(accountRoles),
      /** The email or the name of the inviter; null if there is neither. */
      invitedBy: Nullable(Type.String()),
      expiresAt: Timestamp,
    }),
    problems: [...voidLink],
  },
  'POST /api/user/acceptInvitation': {
    summary: 'Create the account of an invitation',
    description: 'The link proves the address. Sign in with the password afterwards.',
    access: 'public',
    body: Strict({ ...link, name: Name(maxNameLength), password: Password, locale: LocaleCode }),
    response: Type.Object({ email: Type.String() }),
    problems: [...voidLink],
  },
})
