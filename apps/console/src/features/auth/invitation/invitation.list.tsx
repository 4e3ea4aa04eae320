import type { Invitation } from '@grove/contract/auth/invitation'
import { invitationDays, invitationStates } from '@grove/contract/auth/invitation.rules'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { MailPlus } from 'lucide-react'
import { infoQuery } from '../../../session/session.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { onDemand } from '../../../ui/kit/on-demand.tsx'
import { MenuItem } from '../../../ui/menu/menu-item.tsx'
import { momentColumn, nameColumn, stateColumn } from '../../../ui/table/columns.tsx'
import { optionsOf, ResourceList } from '../../../ui/table/resource-list.tsx'
import type { DataColumn } from '../../../ui/table/types.ts'
import { useResourceList } from '../../../ui/table/use-resource-list.ts'
import { useRoleWords } from '../parts/role.labels.ts'
import { invitations } from './invitation.api.ts'
import { InvitationBadge, InvitedBy, useInvitationWords } from './invitation.labels.tsx'
import { invitationList } from './invitation.search.ts'
import { useInvitationActions } from './use-invitation-actions.ts'

const InvitationPanel = onDemand(() =>
  import('./invitation.panel.tsx').then((file) => file.InvitationPanel),
)
const CreateInvitation = onDemand(() =>
  import('./invitation.form.tsx').then((file) => file.CreateInvitation),
)

/** People who were invited, whether or not they have joined. */
export function InvitationList() {
  const { t } = useLingui()
  const words = useInvitationWords()
  const { data: service, failureCount } = useQuery(infoQuery)
  const { send, sendRefusal, withdraw, withdrawRefusal } = useInvitationActions()
  const isAsked = service !== undefined || failureCount > 0
  const offers = (method: string) => !service || service.methods?.includes(method)
  const list = useResourceList(invitations, { isEnabled: isAsked && offers('account') })
  const rowActions = (invitation: Invitation) => (
    <>
      <MenuItem disabledReason={sendRefusal(invitation)} onSelect={() => void send(invitation)}>
        {t`Send again…`}
      </MenuItem>
      <MenuItem
        disabledReason={withdrawRefusal(invitation)}
        isDanger
        onSelect={() => void withdraw(invitation)}
      >
        {t`Withdraw…`}
      </MenuItem>
    </>
  )
  return (
    <ResourceList
      list={list}
      title={t`Invitations`}
      description={
        offers('invitation')
          ? t`${plural(invitationDays, {
              one: 'People who were invited by email. A link works once, within # day.',
              other: 'People who were invited by email. A link works once, within # days.',
            })}`
          : t`This stage cannot send mail, so nobody can be invited.`
      }
      icon={MailPlus}
      columns={useInvitationColumns()}
      rowLabel={({ email }) => email}
      rowActions={rowActions}
      totalText={(count, more) =>
        t`${plural(count, { one: `#${more} invitation`, other: `#${more} invitations` })}`
      }
      searchLabel={t`Search by email`}
      filters={[{ name: 'state', label: t`State`, options: optionsOf(words), isSingle: true }]}
      empty={{
        title: t`No invitations`,
        text: t`Invite people by email: they choose a name and a password, and have the role that you give them.`,
      }}
      {...(offers('invitation') && { create: { label: t`Invite`, form: CreateInvitation } })}
      panel={InvitationPanel}
    />
  )
}

function useInvitationColumns(): DataColumn<Invitation>[] {
  const { t } = useLingui()
  const words = useRoleWords()
  return [
    nameColumn<Invitation>(invitationList, {
      id: 'email',
      header: t`Email`,
      text: ({ email }) => email,
    }),
    { id: 'role', header: t`Role`, cell: ({ role }) => words[role] },
    stateColumn(
      t`State`,
      InvitationBadge,
      invitationStates.map((state) => ({ state })),
    ),
    {
      id: 'invitedBy',
      header: t`Invited by`,
      isSecondary: true,
      cell: ({ invitedBy }) => <InvitedBy id={invitedBy} />,
    },
    {
      id: 'expiresAt',
      header: t`Works until`,
      isSecondary: true,
      sample: <DateText value="2026-12-28T20:58:58Z" />,
      cell: ({ state, expiresAt }) =>
        state === 'open' || state === 'ended' ? (
          <DateText value={expiresAt} />
        ) : (
          <span className="muted">–</span>
        ),
    },
    momentColumn('createdAt', t`Created`, { isSecondary: true, phone: 'hidden' }),
  ]
}
