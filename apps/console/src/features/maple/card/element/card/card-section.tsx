import type { CardReading } from '@grove/contract/maple/card/element-card'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Lock, LockOpen, OctagonX, ScanLine } from 'lucide-react'
import { useState } from 'react'
import { problemText } from '../../../../../api/problem-text.ts'
import { ApiProblem } from '../../../../../api/problem.ts'
import { api } from '../../../../../session/api.ts'
import { confirm } from '../../../../../ui/dialog/confirm.tsx'
import { onDemand } from '../../../../../ui/kit/on-demand.tsx'
import { Link } from '../../../../../ui/link/link.tsx'
import { Section } from '../../../../../ui/page/section.tsx'
import { PanelAction } from '../../../../../ui/panel/panel-action.tsx'
import { elements } from '../element.api.ts'
import { readingQuery } from './card.api.ts'
import styles from './card-section.module.css'
import { CardReadingView } from './card-reading.tsx'
import { DifferenceNotice } from './difference-notice.tsx'
import { useTermination, useTerminationRefusal } from './terminate.tsx'

// Its steps use the decoder’s names of privileges.
const CardOperations = onDemand(
  () => import('./card-operations.tsx').then((file) => file.CardOperations),
  'decode',
)

interface Failure {
  text: string
  session?: string | undefined
}

/** The card itself: its last reading, and the operations on it. */
export function CardSection({ element }: { element: SecureElement }) {
  const { t, i18n } = useLingui()
  const { cplc, state } = element
  const { data } = useQuery(readingQuery(cplc))
  const [failure, setFailure] = useState<Failure>()
  const [isBusy, setBusy] = useState(false)
  const terminate = useTermination(element)
  const terminationRefusal = useTerminationRefusal(element)
  const isLocked = state === 'cardLocked'
  const isTerminated = state === 'terminated'
  const reading = data?.reading

  const run = async (work: () => Promise<CardReading>) => {
    setBusy(true)
    setFailure(undefined)
    try {
      await work()
    } catch (error) {
      const session = error instanceof ApiProblem ? error.fields[0]?.params?.['session'] : undefined
      setFailure({ text: problemText(error, i18n), session: session?.toString() })
    } finally {
      setBusy(false)
      // After a refusal too: keys that do not fit block the element.
      await elements.refresh()
    }
  }
  const lock = async () => {
    if (isBusy) return
    const isSure = await confirm({
      title: isLocked ? t`Unlock the card?` : t`Lock the card?`,
      text: isLocked
        ? t`Its applets can be used again.`
        : t`No applet on it can be used until somebody unlocks it. Nothing is deleted.`,
      action: isLocked ? t`Unlock the card` : t`Lock the card`,
      isDanger: !isLocked,
    })
    if (isSure)
      await run(() =>
        api.maple.post('/api/maple/se/card/lock', { body: { cplc, locked: !isLocked } }),
      )
  }
  const read = () => run(() => api.maple.post('/api/maple/se/card/read', { body: { cplc } }))
  const ended = t`The card is terminated: it no longer answers commands.`
  return (
    <Section
      id="card"
      title={t`The card`}
      action={
        <div className={styles.actions}>
          {(state === 'secured' || isLocked) && (
            <button
              type="button"
              className="button"
              aria-disabled={isBusy}
              onClick={() => void lock()}
            >
              {isLocked ? <LockOpen size={16} aria-hidden /> : <Lock size={16} aria-hidden />}
              {isLocked ? t`Unlock…` : t`Lock…`}
            </button>
          )}
          <PanelAction
            icon={OctagonX}
            label={t`Terminate…`}
            refusal={terminationRefusal}
            onAct={() => void terminate()}
          />
          <PanelAction
            icon={ScanLine}
            label={isBusy ? t`Reading…` : reading ? t`Read again` : t`Read the card`}
            refusal={isTerminated ? ended : undefined}
            onAct={() => {
              if (!isBusy) void read()
            }}
          />
        </div>
      }
    >
      <div aria-live="polite">
        <DifferenceNotice element={element} />
        {isTerminated && (
          <p className={styles.notice}>
            <Trans>
              The card is terminated. It no longer answers commands, and this cannot be undone.
            </Trans>
          </p>
        )}
        {element.approvals.some(
          ({ action, state }) => action === 'element.terminate' && state === 'pending',
        ) && (
          <p className={styles.notice}>
            <Trans>
              The termination of this card was requested. It starts as soon as another person
              approves it.
            </Trans>
          </p>
        )}
        {failure && (
          <p role="alert" className="field-error">
            {failure.text}{' '}
            {failure.session !== undefined && (
              <Link to="/dashboard/maple/sessions/se/$id" params={{ id: failure.session }}>
                <Trans>Open the session</Trans>
              </Link>
            )}
          </p>
        )}
        {reading ? (
          <CardReadingView reading={reading} />
        ) : (
          data &&
          !failure && (
            <p className="muted">
              <Trans>
                Reading the card opens a session and compares its state, domains and applets with
                Grove’s records.
              </Trans>
            </p>
          )
        )}
      </div>
      <CardOperations cplc={cplc} />
    </Section>
  )
}
