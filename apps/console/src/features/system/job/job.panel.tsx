import type { Job } from '@grove/contract/core/job'
import type { ServiceName } from '@grove/contract/call'
import { Trans, useLingui } from '@lingui/react/macro'
import { Ban, RotateCcw } from 'lucide-react'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { ItemPanel, type OpenItem } from '../../../ui/panel/item-panel.tsx'
import { PanelAction } from '../../../ui/panel/panel-action.tsx'
import { PanelFacts } from '../../../ui/panel/panel-facts.tsx'
import { jobQuery } from './job.api.ts'
import { JobProgress, JobStateBadge, useJobWords } from './job.labels.tsx'
import styles from './job.module.css'
import { useJobActions } from './use-job-actions.ts'

interface JobPanelProps extends OpenItem {
  service: ServiceName
}

/** One job: its state, why it failed, and what can be done about it. */
export function JobPanel({ service, ...panel }: JobPanelProps) {
  const { t } = useLingui()
  const { nameOf, reasonOf } = useJobWords()
  const actions = useJobActions(service)
  return (
    <ItemPanel
      {...panel}
      query={jobQuery(service, panel.id)}
      title={nameOf}
      missing={t`There is no job with this ID; old ones are deleted.`}
      renderActions={(job) => (
        <>
          <PanelAction
            icon={RotateCcw}
            refusal={actions.retryRefusal(job)}
            onAct={() => void actions.retry(job)}
            label={t`Retry…`}
          />
          <PanelAction
            icon={Ban}
            refusal={actions.cancelRefusal(job)}
            onAct={() => void actions.cancel(job)}
            label={t`Cancel…`}
          />
        </>
      )}
    >
      {(job) => (
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
              [t`State`, <JobStateBadge key="state" {...job} />],
              [t`Name`, <code key="name">{job.name}</code>],
              [t`Attempts`, <Attempts key="attempts" job={job} />],
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
      )}
    </ItemPanel>
  )
}

function Attempts({ job: { attempts, maxAttempts } }: { job: Job }) {
  const { t } = useLingui()
  // A job limited by time has as many attempts as it needs.
  return maxAttempts < 100 ? t`${attempts} of ${maxAttempts}` : attempts
}
