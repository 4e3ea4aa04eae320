import type { Invitation } from '@grove/contract/auth/invitation'
import { useLingui } from '@lingui/react/macro'
import { MailX, Send } from 'lucide-react'
import { Person } from '../../../people/person.tsx'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { localeNames } from '../../../ui/i18n/locale.ts'
import { ItemPanel, type OpenItem } from '../../../ui/panel/item-panel.tsx'
import { PanelAction } from '../../../ui/panel/panel-action.tsx'
import { PanelFacts } from '../../../ui/panel/panel-facts.tsx'
import { useRoleWords } from '../parts/role.labels.ts'
import { invitations } from './invitation.api.ts'
import { InvitationBadge, InvitedBy } from './invitation.labels.tsx'
import { useInvitationActions } from './use-invitation-actions.ts'

/** One invitation: who offers what until when, with actions to resend or cancel it. */
export function InvitationPanel(panel: OpenItem) {
  const { t } = useLingui()
  return (
    <ItemPanel
      {...panel}
      query={invitations.one(panel.id)}
      title={({ email }) => email}
      missing={t`There is no invitation with this ID. It is kept for 30 days after its end.`}
      renderActions={(invitation) => <InvitationActions invitation={invitation} />}
    >
      {(invitation) => <InvitationFacts {...invitation} />}
    </ItemPanel>
  )
}

function InvitationActions({ invitation }: { invitation: Invitation }) {
  const { t } = useLingui()
  const { send, sendRefusal, withdraw, withdrawRefusal } = useInvitationActions()
  return (
    <>
      <PanelAction
        icon={Send}
        label={t`Send again…`}
        refusal={sendRefusal(invitation)}
        onAct={() => void send(invitation)}
      />
      <PanelAction
        icon={MailX}
        label={t`Withdraw…`}
        refusal={withdrawRefusal(invitation)}
        onAct={() => void withdraw(invitation)}
      />
    </>
  )
}

function InvitationFacts({ state, role, locale, invitedBy, accountId, ...times }: Invitation) {
  const { t } = useLingui()
  const words = useRoleWords()
  const joined =
    accountId === null
      ? []
      : [[t`Account`, <Person key="account" id={accountId} isLinked isByEmail />] as const]
  return (
    <PanelFacts
      facts={[
        [t`State`, <InvitationBadge key="state" state={state} />],
        ...joined,
        [t`Role`, words[role]],
        [t`Invited by`, <InvitedBy key="by" id={invitedBy} />],
        [t`Language of the email`, localeNames[locale]],
        [t`Created`, <DateText key="created" value={times.createdAt} />],
        [t`Last sent`, <DateText key="sent" value={times.sentAt} />],
        [t`Works until`, <DateText key="until" value={times.expiresAt} />],
      ]}
    />
  )
}
