import type { ElementSession } from '@grove/contract/maple/card/session'
import type { KeyMismatch } from '@grove/contract/maple/card/key'
import { isLive } from '@grove/contract/maple/card/session.rules'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { CircleSlash, OctagonX, Users } from 'lucide-react'
import { useMismatchText } from '../mismatch-text.ts'
import { Person } from '../../../../people/person.tsx'
import { useEndText } from './session.labels.tsx'
import styles from './session.module.css'

/** Above the log: how the session ended, or who else is using it, and what to do next. */
export function SessionNotice({ session }: { session: ElementSession }) {
  const endText = useEndText()
  const { state, rights, heldBy, cplc, failure } = session
  if (!isLive(state)) {
    const end = endText(session)
    const Icon = failure ? OctagonX : CircleSlash
    return (
      <div className={styles.notice} data-kind={failure ? 'bad' : 'ended'} aria-live="polite">
        <Icon size={16} aria-hidden />
        <div>
          <p>
            <strong>{end?.text ?? <Trans>The session has ended.</Trans>}</strong>
          </p>
          {failure?.mismatch && <Mismatch mismatch={failure.mismatch} />}
          {end?.next && <p>{end.next}</p>}
          <p>
            <Link to="/dashboard/maple/sessions/se" search={{ create: true, cplc }}>
              <Trans>Open a new session</Trans>
            </Link>
            {failure?.code === 'wrong_keys' && (
              <>
                {' · '}
                <Link to="/dashboard/maple/secure_elements/$cplc" params={{ cplc }} preload={false}>
                  <Trans>See the element</Trans>
                </Link>
              </>
            )}
          </p>
        </div>
      </div>
    )
  }
  if (rights.run !== 'session_held') return null
  return (
    <div className={styles.notice} aria-live="polite">
      <Users size={16} aria-hidden />
      <p>
        {heldBy === null ? (
          <Trans>Grove sends the commands of this session itself. You can watch.</Trans>
        ) : (
          <Trans>
            You are watching: <Person id={heldBy} /> sends the commands. To send your own, take the
            session over.
          </Trans>
        )}
      </p>
    </div>
  )
}

/** Which keys the card probably has. */
function Mismatch({ mismatch }: { mismatch: KeyMismatch }) {
  const { text, next } = useMismatchText()(mismatch)
  return (
    <p>
      {text} {next}
    </p>
  )
}
