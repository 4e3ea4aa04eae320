import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { PanelFacts } from '../../../ui/panel/panel-facts.tsx'
import { PanelFailure, PanelSkeleton } from '../../../ui/panel/panel-body.tsx'
import { SidePanel, type SidePanelProps } from '../../../ui/panel/side-panel.tsx'
import { CopyableId } from '../../../ui/text/copyable-id.tsx'
import { accountQuery, listedAccount } from './account.api.ts'
import { AccountStateBadge } from './account.labels.tsx'
import { nameOf, useSwitchAccount } from './use-switch-account.tsx'

interface AccountPanelProps extends Pick<SidePanelProps, 'onPrevious' | 'onNext' | 'onClose'> {
  id: string
}

/** One account: its details, and the way to disable it. */
export function AccountPanel({ id, ...steps }: AccountPanelProps) {
  const { t } = useLingui()
  const { data, error, refetch } = useQuery({
    ...accountQuery(id),
    placeholderData: () => listedAccount(id),
  })
  const { label, refusal, run } = useSwitchAccount()
  const name = data ? nameOf(data) : id
  const reason = data && refusal(data)
  const orDash = (value: ReactNode) => value || <span className="muted">–</span>
  return (
    <SidePanel
      {...steps}
      title={<bdi>{name}</bdi>}
      tabTitle={name}
      subtitle={<CopyableId value={id} />}
      mode={data && 'details'}
      actions={
        data && (
          <>
            <button
              type="button"
              className="button"
              aria-disabled={reason !== undefined}
              aria-describedby={reason && 'account-refusal'}
              onClick={() => reason === undefined && void run(data)}
            >
              {label(data)}
            </button>
            {reason !== undefined && (
              <small id="account-refusal" className="muted">
                {reason}
              </small>
            )}
          </>
        )
      }
    >
      {data ? (
        <PanelFacts
          facts={[
            [t`State`, <AccountStateBadge key="state" account={data} />],
            [t`Roles`, orDash(data.roles.join(', '))],
            [
              t({ message: 'Name', context: 'of a person' }),
              orDash(data.name && <bdi>{data.name}</bdi>),
            ],
            [t`Email`, orDash(data.email && <bdi>{data.email}</bdi>)],
            [t`Email confirmed`, <DateText key="verified" value={data.emailVerifiedAt} />],
            [t`Created`, <DateText key="created" value={data.createdAt} />],
            [t`Last used`, <DateText key="used" value={data.lastUsedAt} />],
            ...(data.disabledAt === null
              ? []
              : [[t`Disabled`, <DateText key="disabled" value={data.disabledAt} />] as const]),
          ]}
        />
      ) : error ? (
        <PanelFailure
          error={error}
          missing={t`There is no account with this id.`}
          onRetry={() => void refetch()}
          onClose={steps.onClose}
        />
      ) : (
        <PanelSkeleton />
      )}
    </SidePanel>
  )
}
