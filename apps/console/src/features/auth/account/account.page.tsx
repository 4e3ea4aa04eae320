import type { Account } from '@grove/contract/auth/account-admin'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { KeyRound, Power, UserCog } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { ApiProblem } from '../../../api/problem.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { PanelAction } from '../../../ui/panel/panel-action.tsx'
import { PanelFacts } from '../../../ui/panel/panel-facts.tsx'
import { CopyableId } from '../../../ui/text/copyable-id.tsx'
import { accounts } from './account.api.ts'
import { useRoleWords } from '../parts/role.labels.ts'
import { AccountStateBadge } from './account.labels.tsx'
import { ChangeRole } from './change-role.tsx'
import { useAccountActions } from './use-account-actions.ts'
import { nameOf, useSwitchAccount } from './use-switch-account.tsx'

const isMissing = (error: unknown) => error instanceof ApiProblem && error.code === 'not_found'

/** The header of a person's page: who it is, and an administrator's actions on the account. */
export function AccountHead({ id }: { id: string }) {
  const { t } = useLingui()
  const { data: account, error } = useQuery(accounts.one(id))
  if (!account) return <PageHeader title={isMissing(error) ? t`Former user` : id.slice(0, 8)} />
  const name = nameOf(account)
  return (
    <PageHeader
      title={<bdi>{name}</bdi>}
      badge={<AccountStateBadge {...account} />}
      description={account.name !== null && account.name !== name && <bdi>{account.name}</bdi>}
      action={<AccountActions account={account} />}
    />
  )
}

function AccountActions({ account }: { account: Account }) {
  const { t } = useLingui()
  const [isChanging, setIsChanging] = useState(false)
  const { sendReset, resetRefusal, roleRefusal } = useAccountActions()
  const { label, refusal, run } = useSwitchAccount()
  return (
    <>
      <PanelAction
        icon={UserCog}
        label={t`Change role…`}
        refusal={roleRefusal(account)}
        onAct={() => setIsChanging(true)}
      />
      <PanelAction
        icon={KeyRound}
        label={t`Send password reset…`}
        refusal={resetRefusal(account)}
        onAct={() => void sendReset(account)}
      />
      <PanelAction
        icon={Power}
        label={label(account)}
        refusal={refusal(account)}
        onAct={() => void run(account)}
      />
      {isChanging && <ChangeRole account={account} onClose={() => setIsChanging(false)} />}
    </>
  )
}

/** What the authentication service knows about a person. */
export function AccountFacts({ id }: { id: string }) {
  const { t } = useLingui()
  const words = useRoleWords()
  const loading = useQuery(accounts.one(id))
  const { data: account, error } = loading
  if (isMissing(error))
    return (
      <Section title={t`Account`}>
        <p className="muted">
          <Trans>
            Nobody has this ID: the account was deleted, or it never existed. What it did stays
            recorded.
          </Trans>
        </p>
        <CopyableId value={id} />
      </Section>
    )
  const orDash = (value: ReactNode) => value || <span className="muted">–</span>
  return (
    <Section title={t`Account`} loading={loading}>
      {account ? (
        <PanelFacts
          facts={[
            [t`Role`, orDash(account.roles.map((role) => words[role] ?? role).join(', '))],
            [t`Email`, orDash(account.email && <bdi>{account.email}</bdi>)],
            [t`Email confirmed`, <DateText key="verified" value={account.emailVerifiedAt} />],
            [
              t({ message: 'Name', context: 'of a person' }),
              orDash(account.name && <bdi>{account.name}</bdi>),
            ],
            [t`ID`, <CopyableId key="id" value={account.id} />],
            [t`Created`, <DateText key="created" value={account.createdAt} />],
            [t`Last used`, <DateText key="used" value={account.lastUsedAt} />],
            ...(account.disabledAt === null
              ? []
              : [[t`Disabled`, <DateText key="disabled" value={account.disabledAt} />] as const]),
          ]}
        />
      ) : (
        <div className="skeleton" />
      )}
    </Section>
  )
}
