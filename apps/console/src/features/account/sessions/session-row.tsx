import type { AccountSession } from '@grove/contract/auth/profile'
import { Trans, useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { CircleHelp, Monitor, Smartphone, Tablet, Terminal, type LucideIcon } from 'lucide-react'
import { api } from '../../../session/api.ts'
import { problemText } from '../../../api/problem-text.ts'
import { ApiProblem } from '../../../api/problem.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { StateBadge } from '../../../ui/text/state-badge.tsx'
import { tooltip } from '../../../ui/kit/tooltip.ts'
import styles from '../rows.module.css'
import { deviceOf, type SessionDevice } from '../../../people/device-of.ts'
import { useDeviceName } from '../../../people/use-device-name.ts'

const icons: Record<SessionDevice['kind'], LucideIcon> = {
  computer: Monitor,
  phone: Smartphone,
  tablet: Tablet,
  program: Terminal,
  unknown: CircleHelp,
}

export function SessionRow({ session }: { session: AccountSession }) {
  const { t } = useLingui()
  const device = deviceOf(session.userAgent)
  const name = useDeviceName()(device)
  const Icon = icons[device.kind]
  const methods = {
    password: t`with a password`,
    signUp: t`as a new account`,
    external: t`with a linked account`,
  }
  const method = methods[session.method]
  const { network } = session
  return (
    <li className={styles.row}>
      <Icon size={20} aria-hidden />
      <div className={styles.text}>
        <div className={styles.name}>
          <h3 {...tooltip(session.userAgent)}>{name}</h3>
          {session.isCurrent && <StateBadge kind="good" text={t`This session`} />}
        </div>
        <p>
          <Trans>
            Last used <DateText value={session.lastUsedAt} isRelative />,{' '}
            <DateText value={session.lastUsedAt} />
          </Trans>
        </p>
        <p className="muted">
          <Trans>
            Signed in {method} on <DateText value={session.createdAt} />, last seen in the network{' '}
            {network}
          </Trans>
        </p>
      </div>
      <EndButton session={session} name={name} />
    </li>
  )
}

function EndButton({
  session: { id, isCurrent },
  name,
}: {
  session: AccountSession
  name: string
}) {
  const { i18n, t } = useLingui()
  const end = useMutation({
    mutationFn: () => api.auth.delete('/api/user/session/{id}', { params: { id } }),
    onSuccess: () => notify({ text: t`The session has ended.` }),
    onError: (error) => {
      // It had already ended, which is what was wanted.
      if (error instanceof ApiProblem && error.code === 'not_found')
        notify({ text: t`The session has ended.` })
      else notify({ kind: 'failure', text: problemText(error, i18n) })
    },
    onSettled: () => api.auth.invalidate('/api/user/session'),
  })
  const isDisabled = isCurrent || end.isPending

  const ask = async () => {
    const agreed = await confirm({
      title: t`End this session?`,
      text: t`${name} is signed out within seconds. This cannot be undone.`,
      action: t`End session`,
      isDanger: true,
    })
    if (agreed) end.mutate()
  }

  return (
    <button
      type="button"
      className="button small"
      aria-label={t`End ${name}…`}
      aria-disabled={isDisabled}
      {...tooltip(isCurrent ? t`This is your current session. To end it, log out.` : undefined)}
      onClick={() => {
        if (!isDisabled) void ask()
      }}
    >
      <Trans>End…</Trans>
    </button>
  )
}
