import type { ElementSession } from '@grove/contract/maple/card/session'
import { isLive } from '@grove/contract/maple/card/session.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleSlash, SquareArrowOutUpRight, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { problemText } from '../../../../../api/problem-text.ts'
import { api } from '../../../../../session/api.ts'
import { PanelAction } from '../../../../../ui/panel/panel-action.tsx'
import { LogView } from '../../../base/live/log-view.tsx'
import { useLogReading } from '../../../base/live/use-log-reading.ts'
import { LogRow } from '../log/log-row.tsx'
import { useEnd } from '../session-actions.tsx'
import { liveSessionOf, oneSession, path, sessions, storeSession } from '../session.api.ts'
import { SessionStateBadge, useRunRefusal } from '../session.labels.tsx'
import { SessionNotice } from '../session-notice.tsx'
import { useSessionLog } from '../stream/use-session-log.ts'
import { Terminal } from '../terminal/terminal.tsx'
import styles from './session-dock.module.css'

interface SessionDockProps {
  cplc: string
  onClose: () => void
}

/** A prompt at the bottom of another page: in the element's current session, or in a new one. */
export function SessionDock({ cplc, onClose }: SessionDockProps) {
  const { t, i18n } = useLingui()
  const {
    mutate,
    data: id,
    error,
  } = useMutation({
    mutationFn: async () => {
      const session =
        (await liveSessionOf(cplc)) ?? (await api.maple.post(path, { body: { cplc } }))
      storeSession(session)
      void sessions.refresh()
      return session.id
    },
  })
  useEffect(() => {
    const opener = document.activeElement
    return () => {
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  const isAsked = useRef(false)
  useEffect(() => {
    // Once: a component that mounts twice opens one session.
    if (!isAsked.current) mutate()
    isAsked.current = true
  }, [mutate])
  return (
    <section className={styles.dock} aria-label={t`Terminal`}>
      {id === undefined ? (
        <header className={styles.head}>
          {error ? (
            <p className="field-error" role="alert">
              {problemText(error, i18n)}
            </p>
          ) : (
            <p className="muted">{t`Opening a session…`}</p>
          )}
          <span className={styles.actions}>
            {error && <PanelAction label={t`Try again`} onAct={() => mutate()} />}
            <Close onClose={onClose} />
          </span>
        </header>
      ) : (
        <Docked key={id} id={id} onClose={onClose} onAgain={() => mutate()} />
      )}
    </section>
  )
}

function Docked({
  id,
  onClose,
  onAgain,
}: {
  id: string
  onClose: () => void
  onAgain: () => void
}) {
  const { t } = useLingui()
  const { data: session } = useQuery(oneSession(id))
  if (!session) return null
  return (
    <>
      <header className={styles.head}>
        <h2>{t`Terminal`}</h2>
        <SessionStateBadge state={session.state} />
        {session.channel && (
          <span className="muted">
            {session.channel.protocol} · {session.channel.level}
          </span>
        )}
        <span className={styles.actions}>
          <Link to="/dashboard/maple/sessions/se/$id" params={{ id }} className="button">
            <SquareArrowOutUpRight size={16} aria-hidden />
            <Trans>Whole session</Trans>
          </Link>
          <End session={session} />
          <Close onClose={onClose} />
        </span>
      </header>
      <DockLog session={session} />
      <SessionNotice session={session} />
      {isLive(session.state) ? (
        <DockTerminal session={session} />
      ) : (
        <div>
          <PanelAction isPrimary label={t`Open one here`} onAct={onAgain} />
        </div>
      )}
    </>
  )
}

function DockTerminal({ session }: { session: ElementSession }) {
  return <Terminal session={session} refusal={useRunRefusal(session)} takesFocus />
}

/** The last command and its response. */
function DockLog({ session }: { session: ElementSession }) {
  const { t } = useLingui()
  const { log } = useSessionLog(session)
  const reading = useLogReading(log)
  return (
    <div className={styles.log} data-empty={reading.all.length === 0}>
      <LogView
        log={log}
        pausedAt={undefined}
        selected={reading.selected}
        label={t`Exchanges`}
        renderRow={(props) => <LogRow {...props} isWrapped={false} />}
        isFollowing={reading.isFollowing}
        onFollow={reading.setFollowing}
        onSelect={reading.select}
        onOpen={() => {}}
      />
    </div>
  )
}

function End({ session }: { session: ElementSession }) {
  const { t } = useLingui()
  const end = useEnd(session)
  if (!isLive(session.state)) return null
  return (
    <PanelAction
      icon={CircleSlash}
      label={t`End…`}
      refusal={
        session.rights.end === 'forbidden'
          ? t`Your role can watch sessions but not end them.`
          : undefined
      }
      onAct={() => void end()}
    />
  )
}

function Close({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  return (
    <button type="button" className="button icon" aria-label={t`Close`} onClick={onClose}>
      <X size={16} aria-hidden />
    </button>
  )
}
