import type { InvitationState } from '@grove/contract/auth/invitation.rules'
import { definePolicy, refusal } from '../../core/policy.ts'

interface SignInMethods {
  hasPassword: boolean
  identityCount: number
}

/** Whether and where the owner of an account can get a mail. */
interface Reachable {
  email: string | null
  disabledAt: string | null
  /** Whether the service can send mail. */
  hasMail: boolean
}

interface Invited {
  state: InvitationState
  /** Whether the email has got an account in another way. */
  hasAccount: boolean
  hasMail: boolean
}

export const mailUnavailable = () =>
  refusal('mail_unavailable', 'This service cannot send mail. An administrator must set MAIL_URL.')

/** Why an invitation can no longer be used. */
const invitationOver = ({ state }: Pick<Invited, 'state'>) => {
  if (state === 'accepted')
    return refusal('invitation_accepted', 'The invitation was accepted. Nothing is left to do.')
  if (state === 'withdrawn')
    return refusal('invitation_withdrawn', 'The invitation was withdrawn. Invite the person anew.')
  return null
}

/** Rights of people on their identities and of administrators on accounts, by current state. */
export const { can, assertAllowed, rightsOf } = definePolicy({
  // Administrators cannot disable or demote themselves, so the last one always remains.
  'account.disable': ({ id }: { id: string }, actor) =>
    id === actor.id
      ? refusal('own_account', 'You cannot disable your own account. Ask another administrator.')
      : null,

  'account.change_role': ({ id }: { id: string }, actor) =>
    id === actor.id
      ? refusal('own_account', 'You cannot change your own role. Ask another administrator.')
      : null,

  'account.end_sessions': ({ id }: { id: string }, actor) =>
    id === actor.id ? refusal('own_account', 'Your own sessions are on your Account page.') : null,

  'account.send_reset': ({ email, disabledAt, hasMail }: Reachable) => {
    if (disabledAt !== null)
      return refusal('account_not_enabled', 'The account is disabled. Enable it first.')
    if (email === null) return refusal('email_missing', 'The account has no email address.')
    return hasMail ? null : mailUnavailable()
  },

  'invitation.send': ({ hasAccount, hasMail, ...invited }: Invited) =>
    invitationOver(invited) ??
    (hasAccount
      ? refusal('account_exists', 'The address has an account already. Withdraw the invitation.')
      : hasMail
        ? null
        : mailUnavailable()),

  'invitation.withdraw': invitationOver,

  'identity.unlink': ({ hasPassword, identityCount }: SignInMethods) =>
    !hasPassword && identityCount === 1
      ? refusal(
          'last_sign_in_method',
          'This identity is the only way to sign in. Set a password or link another one first.',
        )
      : null,
})
