import type { CardOperation } from '@grove/contract/maple/card/card-operation'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Ban } from 'lucide-react'
import { api } from '../../../../../session/api.ts'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../../ui/link/link.tsx'
import { PanelAction } from '../../../../../ui/panel/panel-action.tsx'
import { StateBadge } from '../../../../../ui/text/state-badge.tsx'
import { useAttempt } from '../../../../../ui/toast/use-attempt.ts'
import { useEnded } from '../../../base/use-ended.ts'
import { elements } from '../element.api.ts'
import { cardOperationsQuery, isLive } from './card.api.ts'
import styles from './card-section.module.css'
import { StepList } from './step-list.tsx'
import { operationKinds, useStepWords } from './step-words.ts'

/** The operations on the card, newest first; running ones are followed. */
export function CardOperations({ cplc }: { cplc: string }) {
  const { t } = useLingui()
  const { data } = useQuery(cardOperationsQuery(cplc))
  // The card is read at the end, so its state, domains and timeline may have changed.
  useEnded(data?.items, isLive, elements.refresh)
  const [latest, ...earlier] = data?.items ?? []
  if (!latest) return null
  return (
    <div className={styles.operations}>
      <Operation operation={latest} />
      {earlier.length > 0 && (
        <details>
          <summary>{t`Earlier operations`}</summary>
          {earlier.map((operation) => (
            <Operation key={operation.id} operation={operation} />
          ))}
        </details>
      )}
    </div>
  )
}

function Operation({ operation }: { operation: CardOperation }) {
  const { t } = useLingui()
  const attempt = useAttempt()
  const { kinds, operations, problems } = useStepWords()
  const { id, kind, state, steps, problem, sessionId, isCancelled } = operation
  const done = steps.filter((step) => step.state === 'done').length
  const all = steps.length
  const cancel = async () => {
    await attempt(() =>
      api.maple.post('/api/maple/se/card/operation/{id}/cancel', { params: { id } }),
    )
    await elements.refresh()
  }
  return (
    <section id={`operation-${id}`} aria-label={kinds[kind]} className={styles.operation}>
      <div className={styles.line}>
        <h3>{kinds[kind]}</h3>
        <StateBadge kind={operationKinds[state]} text={operations[state]} />
      </div>
      <p className="muted">
        <DateText value={operation.createdAt} /> · {t`${done} of ${all} steps done`}
        {sessionId !== null && (
          <>
            {' · '}
            <Link to="/dashboard/maple/sessions/se/$id" params={{ id: sessionId }} preload={false}>
              <Trans>Session</Trans>
            </Link>
          </>
        )}
      </p>
      <div aria-live="polite">
        {problem && (
          <p className={state === 'succeeded' ? styles.notice : 'field-error'}>
            {problems[problem.code]}
          </p>
        )}
      </div>
      {isLive(operation) && (
        <>
          <progress aria-label={kinds[kind]} value={done} max={all} />
          <PanelAction
            icon={Ban}
            label={isCancelled ? t`Cancelling…` : t`Cancel before the next step`}
            refusal={
              isCancelled ? t`Waiting for the answer to a command that was sent.` : undefined
            }
            onAct={() => void cancel()}
          />
        </>
      )}
      <StepList label={t`Steps`} steps={steps} />
    </section>
  )
}
