import { Trans, useLingui } from '@lingui/react/macro'
import { CircleCheck, LoaderCircle, Unplug } from 'lucide-react'
import { problemText } from '../../../../api/problem-text.ts'
import type { Connection } from './follow.ts'
import styles from './log.module.css'

interface ConnectionTextProps {
  connection: Connection
  /** The session is open, so more may come. */
  isOpen: boolean
}

/** Whether what is shown is up to date. */
export function ConnectionText({ connection, isOpen }: ConnectionTextProps) {
  const { i18n } = useLingui()
  const { status } = connection
  return (
    <output className={styles.connection} data-status={status}>
      {status === 'live' && <CircleCheck size={14} aria-hidden />}
      {(status === 'lost' || status === 'refused') && <Unplug size={14} aria-hidden />}
      {status === 'connecting' && <LoaderCircle size={14} aria-hidden />}
      {status === 'connecting' && <Trans>Connecting…</Trans>}
      {status === 'live' && <Trans context="shown as it happens">Live</Trans>}
      {status === 'lost' && <Trans>Connection lost. Reconnecting; no messages are lost.</Trans>}
      {status === 'refused' && problemText(connection.problem, i18n)}
      {status === 'ended' && !isOpen && <Trans context="a log that no longer grows">Ended</Trans>}
      {status === 'ended' && isOpen && <Trans>The stream has ended.</Trans>}
    </output>
  )
}
