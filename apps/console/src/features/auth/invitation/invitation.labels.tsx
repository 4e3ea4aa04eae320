import type { Invitation } from '@grove/contract/auth/invitation'
import type { InvitationState } from '@grove/contract/auth/invitation.rules'
import { useLingui } from '@lingui/react/macro'
import { Person } from '../../../people/person.tsx'
import { StateBadge, type StateKind } from '../../../ui/text/state-badge.tsx'

export function useInvitationWords(): Record<InvitationState, string> {
  const { t } = useLingui()
  return {
    open: t({ message: 'Invited', context: 'a person' }),
    ended: t({ message: 'Ended', context: 'of an invitation' }),
    accepted: t({ message: 'Joined', context: 'a person' }),
    withdrawn: t({ message: 'Withdrawn', context: 'of an invitation' }),
  }
}

const kinds: Record<InvitationState, StateKind> = {
  open: 'waiting',
  ended: 'ended',
  accepted: 'good',
  withdrawn: 'ended',
}

export function InvitationBadge({ state }: Pick<Invitation, 'state'>) {
  const words = useInvitationWords()
  return <StateBadge kind={kinds[state]} text={words[state]} />
}

/** Who sent the invitation; the first administrator is invited from the server itself. */
export function InvitedBy({ id }: { id: string | null }) {
  const { t } = useLingui()
  return id === null ? t`The operator of the server` : <Person id={id} isLinked />
}
