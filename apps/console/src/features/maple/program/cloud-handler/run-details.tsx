import type { OpenCloudHandler } from '@grove/contract/maple/program/cloud-handler'
import { Trans, useLingui } from '@lingui/react/macro'
import { FlaskConical, RotateCw } from 'lucide-react'
import { ApiProblem } from '../../../../api/problem.ts'
import { PartFailure } from '../../../../ui/failure/part-failure.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { PanelFacts } from '../../../../ui/panel/panel-facts.tsx'
import { CopyableId } from '../../../../ui/text/copyable-id.tsx'
import { RunDevice, RunStateBadge } from './cloud-handler.labels.tsx'
import styles from './cloud-handler.module.css'
import { useRun } from './use-runs.ts'
import { momentText } from '../../../../ui/i18n/moment-text.ts'

/** The anchor of the run on the page. */
export const runDetailsId = 'run'

interface RunDetailsProps {
  handler: OpenCloudHandler
  runId: string
  whyNotTested: string | undefined
  /** Absent if the reader may not. */
  onTest?: () => void
  onResend?: () => void
}

/** One run with its event and its log, which grows while it runs. */
export function RunDetails(props: RunDetailsProps) {
  const { handler, runId, whyNotTested, onTest, onResend } = props
  const { t, i18n } = useLingui()
  const { data: run, error, refetch } = useRun(handler.id, runId)
  if (!run)
    return error instanceof ApiProblem && error.status === 404 ? (
      <p className="muted">
        <Trans>There is no such run. It may have been deleted after 30 days.</Trans>
      </p>
    ) : error ? (
      <PartFailure error={error} refetch={refetch} />
    ) : null
  const { attempts, mostAttempts, version, dueAt, log, calls } = run
  const shown = (at: string) =>
    momentText(i18n, at, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
  return (
    <Section
      id={runDetailsId}
      title={t`Run: ${run.type}`}
      action={
        <div className="actions">
          {onTest && (
            <PanelAction
              icon={FlaskConical}
              label={t`Test the draft with it`}
              refusal={whyNotTested}
              onAct={onTest}
            />
          )}
          {onResend && run.state === 'dead' && run.source !== 'test' && (
            <PanelAction icon={RotateCw} label={t`Resend`} onAct={onResend} />
          )}
        </div>
      }
    >
      <div className={styles.runs}>
        <PanelFacts
          facts={[
            [t`State`, <RunStateBadge key="state" {...run} />],
            ...(run.device
              ? [[t`Device`, <RunDevice key="device" device={run.device} />] as const]
              : []),
            [t`Delivery`, <CopyableId key="id" value={run.id} />],
            [t`Attempts`, t`${attempts} of ${mostAttempts}`],
            ...(dueAt && attempts > 0
              ? [[t`Next attempt`, <DateText key="due" value={dueAt} />] as const]
              : []),
            [
              t({ message: 'Version', context: 'of a handler' }),
              version ?? (run.source === 'test' ? t`The draft` : '–'),
            ],
            [t`Requests`, calls],
            ...(run.error
              ? [
                  [
                    t`Error`,
                    run.error.line === null
                      ? `${run.error.name}: ${run.error.message}`
                      : t`${run.error.name} in line ${run.error.line}: ${run.error.message}`,
                  ] as const,
                ]
              : []),
          ]}
        />
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it */}
        <ol className={styles.log} aria-label={t`Log`} tabIndex={0}>
          {log.length === 0 && <li className="muted">{t`Nothing is logged.`}</li>}
          {log.map(({ id, at, level, text }) => (
            <li key={id} data-level={level}>
              <time dateTime={at}>{shown(at)}</time>
              <span>{text}</span>
            </li>
          ))}
        </ol>
        <details>
          <summary>{t`Event`}</summary>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it */}
          <pre className={styles.json} tabIndex={0} aria-label={t`Event`}>
            {JSON.stringify(run.event, null, 2)}
          </pre>
        </details>
        {run.state === 'succeeded' && run.result !== null && (
          <details>
            <summary>{t`Result`}</summary>
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it */}
            <pre className={styles.json} tabIndex={0} aria-label={t`Result`}>
              {JSON.stringify(run.result, null, 2)}
            </pre>
          </details>
        )}
      </div>
    </Section>
  )
}
