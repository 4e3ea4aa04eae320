import type { Rollout } from '@grove/contract/maple/rollout/rollout'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { useCauseText } from './page.labels.tsx'
import { refreshRollouts, retryRollout, type RetryChoice } from './rollout.api.ts'

/** Asks, creates the rollout that retries what failed, and opens it. */
export function useRetry(id: string) {
  const { t } = useLingui()
  const textOf = useCauseText()
  const navigate = useNavigate()
  const confirmed = useConfirmed()
  return ({ count, ...choice }: RetryChoice & { count: number }) => {
    let retry: Rollout | undefined
    const title = t`${plural(count, { one: 'Retry # device?', other: 'Retry # devices?' })}`
    const text = t`A new rollout does the same for them, in one group. It is a draft: review it, then start it. Devices that another retry has reached, or will reach, are left out.`
    return confirmed({
      question: {
        title,
        text: choice.cause === undefined ? text : `${textOf(choice.cause)} ${text}`,
        action: t`Create retry draft`,
      },
      change: async () => (retry = await retryRollout(id, choice)),
      done: () => t`The retry is a draft.`,
      onDone: () => {
        if (retry) void navigate({ to: '/dashboard/maple/rollouts/$id', params: { id: retry.id } })
      },
      refresh: () => refreshRollouts(),
    })
  }
}
