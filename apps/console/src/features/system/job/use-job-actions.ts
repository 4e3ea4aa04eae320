import type { Job } from '@grove/contract/core/job'
import type { ServiceName } from '@grove/contract/call'
import { useLingui } from '@lingui/react/macro'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { cancelJob, refreshJobs, retryJob } from './job.api.ts'
import { useJobWords } from './job.labels.tsx'

/** Retries and cancels a job after a confirmation; says why either is unavailable. */
export function useJobActions(service: ServiceName) {
  const { t } = useLingui()
  const { nameOf } = useJobWords()
  const confirmed = useConfirmed()
  const refresh = () => refreshJobs(service)

  return {
    retryRefusal: ({ rights: { retry } }: Job) =>
      retry === null
        ? undefined
        : retry === 'job_input_gone'
          ? t`This job can no longer run: its input has been deleted.`
          : t`Only a failed or cancelled job can be retried.`,
    cancelRefusal: ({ isCancelling, rights }: Job) => {
      if (isCancelling) return t`The job has been asked to stop.`
      return rights.cancel === null ? undefined : t`The job has already finished.`
    },
    retry: (job: Job) => {
      const name = nameOf(job)
      return confirmed({
        question: {
          title: t`Retry “${name}”?`,
          text: t`The job starts immediately and has all its attempts again.`,
          action: t`Retry`,
        },
        change: () => retryJob(service, job.id),
        done: () => t`“${name}” is queued.`,
        refresh,
      })
    },
    cancel: (job: Job) => {
      const name = nameOf(job)
      const isRunning = job.state === 'running'
      return confirmed({
        question: {
          title: t`Cancel “${name}”?`,
          text: isRunning
            ? t`The job will stop. What it has done so far stays.`
            : t`The job will not run. You can retry it later.`,
          action: t`Cancel the job`,
          cancel: t`Keep it`,
          isDanger: true,
        },
        change: () => cancelJob(service, job.id),
        done: () => (isRunning ? t`“${name}” is stopping.` : t`“${name}” is cancelled.`),
        refresh,
      })
    },
  }
}
