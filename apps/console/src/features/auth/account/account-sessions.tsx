import type { AccountSession } from '@grove/contract/auth/profile'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { deviceOf } from '../../../people/device-of.ts'
import { useDeviceName } from '../../../people/use-device-name.ts'
import { api } from '../../../session/api.ts'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { tooltip } from '../../../ui/kit/tooltip.ts'
import { Rows } from '../../../ui/page/rows.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { PanelAction } from '../../../ui/panel/panel-action.tsx'
import { accounts } from './account.api.ts'

const path = '/api/admin/account/{id}/session'

/** Where a person is signed in; an administrator can end one session or all of them. */
export function AccountSessions({ id }: { id: string }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const { data: account } = useQuery(accounts.one(id))
  const loading = useQuery(api.auth.query(path, { params: { id } }))
  const sessions = loading.data?.items
  const isOwn = account?.rights.endSessions === 'own_account'
  const ownReason = isOwn ? t`Your own sessions are on your Account page.` : undefined
  const endAll = () =>
    confirmed({
      question: {
        title: t`End all sessions?`,
        text: t`The person is signed out everywhere within seconds.`,
        action: t`End sessions`,
        isDanger: true,
      },
      change: () => api.auth.delete(path, { params: { id } }),
      done: ({ ended }) =>
        t`${plural(ended, { one: '# session has ended.', other: '# sessions have ended.' })}`,
      refresh: accounts.refresh,
    })
  return (
    <Section
      title={t`Sessions`}
      loading={loading}
      action={
        sessions &&
        sessions.length > 0 && (
          <PanelAction label={t`End all…`} refusal={ownReason} onAct={() => void endAll()} />
        )
      }
    >
      {sessions === undefined ? (
        <div className="skeleton" />
      ) : sessions.length === 0 ? (
        <p className="muted">
          <Trans>Not signed in anywhere.</Trans>
        </p>
      ) : (
        <Rows aria-label={t`Sessions`}>
          {sessions.map((session) => (
            <SessionRow key={session.id} id={id} session={session} refusal={ownReason} />
          ))}
        </Rows>
      )}
    </Section>
  )
}

interface SessionRowProps {
  id: string
  session: AccountSession
  refusal: string | undefined
}

function SessionRow({ id, session, refusal }: SessionRowProps) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const name = useDeviceName()(deviceOf(session.userAgent))
  const { network } = session
  const end = () =>
    confirmed({
      question: {
        title: t`End this session?`,
        text: t`${name} is signed out within seconds. This cannot be undone.`,
        action: t`End session`,
        isDanger: true,
      },
      change: () =>
        api.auth.delete(`${path}/{sessionId}`, { params: { id, sessionId: session.id } }),
      done: () => t`The session has ended.`,
      refresh: accounts.refresh,
    })
  return (
    <li>
      <div>
        <span {...tooltip(session.userAgent)}>{name}</span>
        <p className="muted">
          <Trans>
            Last used <DateText value={session.lastUsedAt} isRelative /> in the network {network}
          </Trans>
        </p>
        <p className="muted">
          <Trans>
            Signed in <DateText value={session.createdAt} />
          </Trans>
        </p>
      </div>
      <button
        type="button"
        className="button small"
        aria-label={t`End ${name}…`}
        aria-disabled={refusal !== undefined}
        {...tooltip(refusal)}
        onClick={() => refusal === undefined && void end()}
      >
        <Trans>End…</Trans>
      </button>
    </li>
  )
}
