import type {
  Template,
  TemplateCause,
  TemplateRun,
  TemplateTarget,
} from '@grove/contract/maple/program/template'
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
import { StateBadge } from '../../../../ui/text/state-badge.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { useAttempt } from '../../../../ui/toast/use-attempt.ts'
import { refreshCards, useEnded } from '../../base/use-ended.ts'
import { BatchTargets } from '../../card/batch/batch-targets.tsx'
import { BatchStateBadge } from '../../card/batch/batch.labels.tsx'
import { useCauseText, useReceiptText } from './cause-text.ts'
import { RunDialog, type RunChoice } from './run-dialog.tsx'
import {
  allTargets,
  isLive,
  isWaiting,
  path,
  runsQuery,
  targetsQuery,
  templates,
} from './template.api.ts'
import styles from './template.module.css'

interface RunsSectionProps {
  template: Template
  /** The run that a link leads to: it is expanded, though it may be older than the others. */
  runId: string | undefined
}

/** The latest runs on elements; running ones are followed. */
export function RunsSection({ template, runId }: RunsSectionProps) {
  const { t } = useLingui()
  const { id } = template
  const [repeated, setRepeated] = useState<RunChoice>()
  const runs = useQuery(runsQuery(id))
  const { data } = runs
  const isListed = data?.items.some((run) => run.id === runId) ?? true
  const linked = useQuery({
    ...api.maple.query(`${path}/run`, { query: { id: runId ?? '', limit: 1 } }),
    enabled: runId !== undefined && !isListed,
  })
  const items = data && [...data.items, ...(isListed ? [] : (linked.data?.items ?? []))]
  // The last elements ended after their list was fetched, and the cards have changed.
  useEnded(data?.items, isLive, () => Promise.all([templates.refresh(), refreshCards()]))
  return (
    <Section id="runs" title={t({ message: 'Runs', context: 'of a template' })} loading={runs}>
      {data?.items.length === 0 && (
        <p className="muted">
          <Trans>Nothing yet.</Trans>
        </p>
      )}
      {items?.map((run, index) => (
        <Run
          key={run.id}
          run={run}
          isOpen={runId === undefined ? index === 0 : run.id === runId}
          onRepeat={template.rights.run === null ? setRepeated : undefined}
        />
      ))}
      {repeated && (
        <RunDialog template={template} first={repeated} onClose={() => setRepeated(undefined)} />
      )}
    </Section>
  )
}

interface RunProps {
  run: TemplateRun
  isOpen: boolean
  /** Absent if the template may not be run. */
  onRepeat: ((choice: RunChoice) => void) | undefined
}

/**
 * The states of elements to repeat a run for; an unknown outcome is for a person to check. In a run
 * that nobody approved, an element waits forever.
 */
const repeatable: readonly TemplateTargetState[] = ['refused', 'failed', 'cancelled', 'waiting']

function Run({ run, isOpen, onRepeat }: RunProps) {
  const { t } = useLingui()
  const attempt = useAttempt()
  const { id, total, succeeded, failed, version, approval } = run
  const isUnderWay = isLive(run)
  const { data } = useQuery({ ...targetsQuery(run), enabled: isOpen })
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
        {isWaiting(run) ? (
          <StateBadge kind="waiting" text={t`Waiting for approval`} />
        ) : (
          <BatchStateBadge {...run} />
        )}
      </div>
      <p className="muted">
        <DateText value={run.createdAt} />
        {' · '}
        {t`${plural(total, { one: '# element', other: '# elements' })}: ${succeeded} succeeded, ${failed} failed`}
      </p>
      {approval && (
        <p>
          <Link to="/dashboard/maple/approvals" search={{ request: approval.id }} preload={false}>
            <Trans>See the request</Trans>
          </Link>
        </p>
      )}
      {isUnderWay && (
        <progress aria-label={t`Progress of the run`} value={succeeded + failed} max={total} />
      )}
      {isOpen && (
        <>
          <BatchTargets label={t`Elements of the run`} targets={data?.items}>
            {(target) => (
              <>
                {target.cause && <Cause target={target} cause={target.cause} />}
                <Receipts receipts={target.receipts} />
              </>
            )}
          </BatchTargets>
          {run.rights.cancel === null && (
            <PanelAction
              icon={Ban}
              label={
                isWaiting(run) ? t({ message: 'Cancel', context: 'a run' }) : t`Cancel the rest`
              }
              onAct={() => void cancel()}
            />
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

/** What the card confirms about its steps. */
function Receipts({ receipts }: Pick<TemplateTarget, 'receipts'>) {
  const { t } = useLingui()
  const receiptText = useReceiptText()
  return receipts.map((receipt, index) => (
    // Installed and undone steps may have the same text.
    <small key={`${index} ${receipt.message}`}>
      {t`Step ${receipt.step + 1}:`} {receiptText(receipt)}
    </small>
  ))
}

interface CauseProps {
  target: TemplateTarget
  cause: TemplateCause
}

/** Why it failed on an element, and what was undone there. */
function Cause({ target: { step, rollback }, cause }: CauseProps) {
  const { t } = useLingui()
  const causeText = useCauseText()
  return (
    <small>
      {step !== null && t`Step ${step + 1}:`} {causeText(cause)}{' '}
      {rollback && t`Undone: ${rollback.done} of ${rollback.total}.`}{' '}
      {rollback?.cause && causeText(rollback.cause)}
    </small>
  )
}
