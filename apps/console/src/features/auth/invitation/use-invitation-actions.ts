import type { Invitation } from '@grove/contract/auth/invitation'
import { invitationDays } from '@grove/contract/auth/invitation.rules'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../session/api.ts'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { invitations, path } from './invitation.api.ts'

/** An administrator's actions on an invitation, and why one is unavailable. */
export function useInvitationActions() {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const reasons = {
    invitation_accepted: t`The person has joined.`,
    invitation_withdrawn: t`The invitation is withdrawn. Invite the person anew.`,
    account_exists: t`The address has an account already.`,
    mail_unavailable: t`This stage cannot send mail.`,
  }
  const refusalOf = (right: keyof typeof reasons | null) =>
    right === null ? undefined : reasons[right]
  return {
    sendRefusal: ({ rights }: Invitation) => refusalOf(rights.send),
    withdrawRefusal: ({ rights }: Invitation) => refusalOf(rights.withdraw),
    send: ({ id, email }: Invitation) =>
      confirmed({
        question: {
          title: t`Send the invitation to ${email} again?`,
          text: t`${plural(invitationDays, {
            one: 'A new link works for # day. The older ones stop working.',
            other: 'A new link works for # days. The older ones stop working.',
          })}`,
          action: t({ message: 'Send', context: 'an invitation' }),
        },
        change: () => api.auth.post(`${path}/{id}/send`, { params: { id } }),
        done: () => t`The invitation is sent to ${email}.`,
        refresh: invitations.refresh,
      }),
    withdraw: ({ id, email }: Invitation) =>
      confirmed({
        question: {
          title: t`Withdraw the invitation to ${email}?`,
          text: t`Its link stops working, and says so. You can invite the person again later.`,
          action: t({ message: 'Withdraw', context: 'an invitation' }),
          isDanger: true,
        },
        change: () => api.auth.delete(`${path}/{id}`, { params: { id } }),
        done: () => t`The invitation to ${email} is withdrawn.`,
        refresh: invitations.refresh,
      }),
  }
}
