import type { Job, ServiceName } from '@grove/contract'
import { canCancelJob, canRetryJob } from '@grove/contract/core/job.rules'
import { useLingui } from '@lingui/react/macro'
import { problemText } from '../../../api/problem-text.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { cancelJob, refreshJobs, retryJob } from './job.api.ts'
import { useJobWords } from './job.labels.tsx'

/** Retrying and cancelling a job after a question, and why one of them cannot be done. */
export function useJobActions(service: ServiceName) {
  const { i18n, t } = useLingui()
  const { nameOf } = useJobWords()

  const make = async (change: () => Promise<Job>, text: string) => {
    try {
      await change()
      notify({ text })
    } catch (error) {
      notify({ kind: 'failure', text: problemText(error, i18n) })
    }
    // After a refusal too: what was shown is out of date.
    await refreshJobs(service)
  }

  return {
    retryRefusal: ({ state }: Job) =>
      canRetryJob(state) ? undefined : t`Only a failed or cancelled job can run again.`,
    cancelRefusal: ({ state, isCancelling }: Job) => {
      if (isCancelling) return t`The job has been asked to stop.`
      return canCancelJob(state) ? undefined : t`The job has already finished.`
    },
    retry: async (job: Job) => {
      const name = nameOf(job)
      const agreed = await confirm({
        title: t`Run “${name}” again?`,
        text: t`The job starts at once and has all its attempts again.`,
        action: t`Run again`,
      })
      if (agreed) await make(() => retryJob(service, job.id), t`“${name}” is queued.`)
    },
    cancel: async (job: Job) => {
      const name = nameOf(job)
      const isRunning = job.state === 'running'
      const agreed = await confirm({
        title: t`Cancel “${name}”?`,
        text: isRunning
          ? t`The job will stop. What it has done so far stays.`
          : t`The job will not run. You can run it again later.`,
        action: t`Cancel the job`,
        cancel: t`Keep it`,
        isDanger: true,
      })
      if (!agreed) return
      const text = isRunning ? t`“${name}” is stopping.` : t`“${name}” is cancelled.`
      await make(() => cancelJob(service, job.id), text)
    },
  }
}
