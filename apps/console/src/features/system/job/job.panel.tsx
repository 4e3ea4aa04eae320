import type { ServiceName } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Ban, RotateCcw } from 'lucide-react'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { PanelFailure, PanelSkeleton } from '../../../ui/panel/panel-body.tsx'
import { PanelFacts } from '../../../ui/panel/panel-facts.tsx'
import { SidePanel, type SidePanelProps } from '../../../ui/panel/side-panel.tsx'
import { CopyableId } from '../../../ui/text/copyable-id.tsx'
import { jobQuery } from './job.api.ts'
import { JobProgress, JobStateBadge, useJobWords } from './job.labels.tsx'
import styles from './job.module.css'
import { useJobActions } from './use-job-actions.ts'

interface JobPanelProps extends Pick<SidePanelProps, 'onPrevious' | 'onNext' | 'onClose'> {
  service: ServiceName
  id: string
}

/** One job: its state, why it failed, and what can be done about it. */
export function JobPanel({ service, id, ...steps }: JobPanelProps) {
  const { t } = useLingui()
  const { nameOf, reasonOf } = useJobWords()
  const { data: job, error, refetch } = useQuery(jobQuery(service, id))
  const actions = useJobActions(service)
  const cannotRetry = job && actions.retryRefusal(job)
  const cannotCancel = job && actions.cancelRefusal(job)
  const { attempts = 0, maxAttempts = 0 } = job ?? {}
  // A job that is limited by its time has as many attempts as it needs.
  const isCounted = maxAttempts < 100
  return (
    <SidePanel
      {...steps}
      title={job ? nameOf(job) : id}
      subtitle={<CopyableId value={id} />}
      mode={job && 'details'}
      actions={
        job && (
          <>
            <button
              type="button"
              className="button"
              aria-disabled={cannotRetry !== undefined}
              title={cannotRetry}
              onClick={() => cannotRetry === undefined && void actions.retry(job)}
            >
              <RotateCcw size={16} aria-hidden />
              <Trans>Run again…</Trans>
            </button>
            <button
              type="button"
              className="button"
              aria-disabled={cannotCancel !== undefined}
              title={cannotCancel}
              onClick={() => cannotCancel === undefined && void actions.cancel(job)}
            >
              <Ban size={16} aria-hidden />
              <Trans>Cancel…</Trans>
            </button>
          </>
        )
      }
    >
      {job ? (
        <div className={styles.details}>
          {job.failure && (
            <section className={styles.failure} aria-label={t`Why the last attempt failed`}>
              <h3>
                <Trans>Why the last attempt failed</Trans>
              </h3>
              <p>{reasonOf(job.failure)}</p>
              <p className="mono muted">
                {[...new Set([job.failure.code, job.failure.message])].filter(Boolean).join(' · ')}
              </p>
            </section>
          )}
          <PanelFacts
            facts={[
              [t`State`, <JobStateBadge key="state" job={job} />],
              [t`Name`, <code key="name">{job.name}</code>],
              [t`Attempts`, isCounted ? t`${attempts} of ${maxAttempts}` : attempts],
              [t`Progress`, <JobProgress key="progress" progress={job.progress} />],
              ...(job.state === 'queued'
                ? [[t`Runs at`, <DateText key="due" value={job.dueAt} />] as const]
                : []),
              [t`Created`, <DateText key="created" value={job.createdAt} />],
              [t`Started`, <DateText key="started" value={job.startedAt} />],
              [t`Finished`, <DateText key="finished" value={job.finishedAt} />],
            ]}
          />
        </div>
      ) : error ? (
        <PanelFailure
          error={error}
          missing={t`There is no job with this id; old ones are deleted.`}
          onRetry={() => void refetch()}
          onClose={steps.onClose}
        />
      ) : (
        <PanelSkeleton />
      )}
    </SidePanel>
  )
}
