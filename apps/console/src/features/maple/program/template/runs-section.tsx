import type { Template, TemplateRun, TemplateTarget } from '@grove/contract/maple/program/template'
import type { TemplateTargetState } from '@grove/contract/maple/program/template-run.rules'
import { icSerial } from '@grove/secure-element/cplc'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Ban, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../session/api.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'
import { useAttempt } from '../../../../ui/toast/use-attempt.ts'
import { refreshCards, useEnded } from '../../base/use-ended.ts'
import { useCauseText } from './cause-text.ts'
import { RunDialog, type RunChoice } from './run-dialog.tsx'
import { allTargets, isLive, path, runsQuery, targetsQuery, templates } from './template.api.ts'
import styles from './template.module.css'

/** The last runs on elements; what runs is followed. */
export function RunsSection({ template }: { template: Template }) {
  const { t } = useLingui()
  const { id } = template
  const [repeated, setRepeated] = useState<RunChoice>()
  const runs = useQuery(runsQuery(id))
  const { data } = runs
  // The last elements ended after their list was read, and cards are others than they were.
  useEnded(data?.items, isLive, () => Promise.all([templates.refresh(), refreshCards()]))
  return (
    <Section title={t({ message: 'Runs', context: 'of a template' })} loading={runs}>
      {data?.items.length === 0 && (
        <p className="muted">
          <Trans>Nothing yet.</Trans>
        </p>
      )}
      {data?.items.map((run, index) => (
        <Run
          key={run.id}
          run={run}
          isOpen={index === 0}
          onRepeat={template.rights.run === null ? setRepeated : undefined}
        />
      ))}
      {repeated && (
        <RunDialog template={template} first={repeated} onClose={() => setRepeated(undefined)} />
      )}
    </Section>
  )
}

const runKinds: Record<TemplateRun['state'], StateKind> = {
  queued: 'idle',
  running: 'waiting',
  completed: 'good',
  failed: 'bad',
  cancelled: 'ended',
}

interface RunProps {
  run: TemplateRun
  isOpen: boolean
  /** Absent where the template may not be run. */
  onRepeat: ((choice: RunChoice) => void) | undefined
}

/** The states of elements that a repeated run is for; what is unknown is for a person to look at. */
const repeatable: readonly TemplateTargetState[] = ['refused', 'failed', 'cancelled']

function Run({ run, isOpen, onRepeat }: RunProps) {
  const { t } = useLingui()
  const attempt = useAttempt()
  const { id, total, succeeded, failed, state, version } = run
  const isUnderWay = isLive(run)
  const { data } = useQuery({ ...targetsQuery(id, isUnderWay), enabled: isOpen })
  const words: Record<TemplateRun['state'], string> = {
    queued: t({ message: 'Waiting', context: 'an operation' }),
    running: t({ message: 'Running', context: 'an operation' }),
    completed: t({ message: 'Finished', context: 'an operation' }),
    failed: t({ message: 'Failed', context: 'an operation' }),
    cancelled: t({ message: 'Cancelled', context: 'an operation' }),
  }
  const repeat = () =>
    attempt(async () => {
      const targets = await allTargets(id)
      const elements = targets
        .filter((target) => repeatable.includes(target.state))
        .map(({ cplc }) => ({ id: cplc, label: icSerial(cplc), note: cplc }))
      onRepeat?.({ elements, input: run.input })
    })
  const cancel = async () => {
    await attempt(() => api.maple.post(`${path}/run/{id}/cancel`, { params: { id } }))
    await templates.refresh()
  }
  return (
    <div>
      <div className={styles.line}>
        <strong>
          <Trans>Version {version}</Trans>
        </strong>
        <StateBadge
          kind={state === 'completed' && failed > 0 ? 'warning' : runKinds[state]}
          text={words[state]}
        />
      </div>
      <p className="muted">
        <DateText value={run.createdAt} />
        {' · '}
        {t`${plural(total, { one: '# element', other: '# elements' })}: ${succeeded} succeeded, ${failed} failed`}
      </p>
      {isUnderWay && (
        <progress aria-label={t`Progress of the run`} value={succeeded + failed} max={total} />
      )}
      {isOpen && (
        <>
          <ul className={styles.targets} aria-label={t`Elements of the run`}>
            {data?.items.map((target) => (
              <Target key={target.cplc} target={target} />
            ))}
          </ul>
          {run.rights.cancel === null && (
            <PanelAction icon={Ban} label={t`Cancel the rest`} onAct={() => void cancel()} />
          )}
        </>
      )}
      {!isUnderWay && succeeded < total && onRepeat && (
        <PanelAction
          icon={RotateCw}
          label={t`Repeat for the failed ones…`}
          onAct={() => void repeat()}
        />
      )}
    </div>
  )
}

const targetKinds: Record<TemplateTargetState, StateKind> = {
  waiting: 'idle',
  running: 'waiting',
  succeeded: 'good',
  refused: 'warning',
  failed: 'bad',
  unknown: 'warning',
  cancelled: 'ended',
}

function Target({ target }: { target: TemplateTarget }) {
  const { t } = useLingui()
  const causeText = useCauseText()
  const { cplc, state, step, cause, rollback, sessionId } = target
  const words: Record<TemplateTargetState, string> = {
    waiting: t({ message: 'Waiting', context: 'an element of an operation' }),
    running: t({ message: 'Running', context: 'an element of an operation' }),
    succeeded: t({ message: 'Succeeded', context: 'an element of an operation' }),
    refused: t({ message: 'Refused', context: 'an element of an operation' }),
    failed: t({ message: 'Failed', context: 'an element of an operation' }),
    unknown: t({ message: 'Unknown', context: 'an element of an operation' }),
    cancelled: t({ message: 'Cancelled', context: 'an element of an operation' }),
  }
  return (
    <li>
      <div className={styles.line}>
        <span>
          <Link to="/dashboard/maple/secure_elements/$cplc" params={{ cplc }} preload={false}>
            {icSerial(cplc)}
          </Link>{' '}
          {sessionId && (
            <Link to="/dashboard/maple/sessions/se/$id" params={{ id: sessionId }} preload={false}>
              <Trans>Session</Trans>
            </Link>
          )}
        </span>
        <StateBadge kind={targetKinds[state]} text={words[state]} />
      </div>
      {cause && (
        <small>
          {step !== null && t`Step ${step + 1}:`} {causeText(cause)}{' '}
          {rollback && t`Undone: ${rollback.done} of ${rollback.total}.`}{' '}
          {rollback?.cause && causeText(rollback.cause)}
        </small>
      )}
    </li>
  )
}
