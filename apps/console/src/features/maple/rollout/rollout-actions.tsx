import type { Rollout } from '@grove/contract/maple/rollout/rollout'
import { errorsOf, sumOf } from '@grove/contract/maple/rollout/rollout.rules'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { CircleStop, Pause, Pencil, Play, RotateCw, SkipForward, Trash2, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { onDemand } from '../../../ui/kit/on-demand.tsx'
import { PanelAction } from '../../../ui/panel/panel-action.tsx'
import { ResumeDialog } from './resume-dialog.tsx'
import { controlRollout, refreshRollouts, removeRollout, resumeRollout } from './rollout.api.ts'
import { useRetry } from './use-retry.ts'
import { useTargetCount } from './use-target-count.ts'

const RolloutForm = onDemand(() =>
  import('./form/rollout.form.tsx').then((file) => file.RolloutForm),
)

/** The actions on a rollout in its current state, each with a confirmation. */
export function RolloutActions({ rollout }: { rollout: Rollout }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const confirmed = useConfirmed()
  const [open, setOpen] = useState<'edit' | 'resume'>()
  const { id, name, rights, state, groups } = rollout
  const close = () => setOpen(undefined)
  const hasFailed = groups.some((group) => group.state === 'failed')

  const control = (
    action: 'start' | 'pause' | 'next' | 'stop',
    question: { title: string; text: string; action: string; isDanger?: boolean },
    done: (after: Rollout) => string,
  ) => {
    let after = rollout
    return confirmed({
      question,
      change: async () => (after = await controlRollout(id, action)),
      done,
      refresh: () => refreshRollouts(after),
    })
  }
  const start = () =>
    control(
      'start',
      {
        title: t`Start “${name}”?`,
        text: t`The first group starts. Later groups follow according to your thresholds.`,
        action: t`Start`,
      },
      (after) =>
        after.state === 'waiting_for_approval'
          ? t`Another person must approve it first.`
          : after.state === 'ready'
            ? t`It starts at the scheduled time.`
            : t`The rollout has started.`,
    )
  const pause = () =>
    control(
      'pause',
      {
        title: t`Pause “${name}”?`,
        text: t`Devices in progress finish. Nothing else starts until you resume.`,
        action: t`Pause`,
      },
      () => t`The rollout is paused.`,
    )
  const next = () =>
    control(
      'next',
      {
        title: t`Start the next group now?`,
        text: t`It does not wait for the earlier groups.`,
        action: t`Start the next group`,
      },
      () => t`The next group has started.`,
    )
  const stop = () =>
    control(
      'stop',
      {
        title: t`Stop “${name}” permanently?`,
        text: t`Devices in progress finish; waiting ones are cancelled. Completed work stays. A stopped rollout cannot be resumed.`,
        action: t`Stop`,
        isDanger: true,
      },
      () => t`The rollout is being stopped.`,
    )
  const resume = () =>
    confirmed({
      question: {
        title: t`Resume “${name}”?`,
        text: t`Devices continue where it was paused.`,
        action: t`Resume`,
      },
      change: () => resumeRollout(id),
      done: () => t`The rollout is running again.`,
      refresh: () => refreshRollouts(),
    })
  const rollBack = () => {
    let back: Rollout | undefined
    return confirmed({
      question: {
        title: t`Roll back “${name}”?`,
        text: t`A new rollout undoes it on the devices where it succeeded. It is a draft: review it, then start it.`,
        action: t`Create rollback draft`,
      },
      change: async () => (back = await controlRollout(id, 'rollback')),
      done: () => t`The rollback is a draft.`,
      onDone: () => {
        if (back) void navigate({ to: '/dashboard/maple/rollouts/$id', params: { id: back.id } })
      },
      refresh: () => refreshRollouts(),
    })
  }
  const remove = () =>
    confirmed({
      question: {
        title: t`Delete “${name}”?`,
        text: t`Its records of the devices are deleted with it. Sessions and devices stay unchanged.`,
        action: t`Delete the rollout`,
        isDanger: true,
      },
      change: () => removeRollout(rollout),
      done: () => t`The rollout is deleted.`,
      onDone: () => void navigate({ to: '/dashboard/maple/rollouts' }),
      refresh: () => refreshRollouts(),
    })
  const retry = useRetry(id)
  const count = useTargetCount(rollout)
  const isOver = state === 'finished' || state === 'stopped'
  return (
    <div className="actions">
      {rights.start === null && (
        <PanelAction
          icon={Play}
          isPrimary
          label={
            count === undefined
              ? t`Start…`
              : t`${plural(count, { one: 'Start on # device…', other: 'Start on # devices…' })}`
          }
          onAct={() => void start()}
        />
      )}
      {rights.change === null && (
        <PanelAction icon={Pencil} label={t`Edit`} onAct={() => setOpen('edit')} />
      )}
      {rights.pause === null && (
        <PanelAction icon={Pause} label={t`Pause…`} onAct={() => void pause()} />
      )}
      {rights.resume === null && rollout.pauseReason !== 'next_group' && (
        <PanelAction
          icon={Play}
          isPrimary
          label={t`Resume…`}
          onAct={() => (hasFailed ? setOpen('resume') : void resume())}
        />
      )}
      {rights.next === null && (
        <PanelAction
          icon={SkipForward}
          isPrimary
          label={t`Next group…`}
          onAct={() => void next()}
        />
      )}
      {rights.stop === null && (
        <PanelAction icon={CircleStop} label={t`Stop…`} onAct={() => void stop()} />
      )}
      {rights.retry === null && (
        <PanelAction
          icon={RotateCw}
          label={t`Retry what failed…`}
          onAct={() => void retry({ count: errorsOf(sumOf(groups)) })}
        />
      )}
      {(rights.rollBack === null || isOver) && (
        <PanelAction
          icon={Undo2}
          label={t`Roll back…`}
          refusal={
            rights.rollBack === null
              ? undefined
              : rights.rollBack === 'no_way_back'
                ? t`What this program does can’t be rolled back.`
                : t`It succeeded nowhere, so there is nothing to roll back.`
          }
          onAct={() => void rollBack()}
        />
      )}
      {(rights.delete === null || isOver) && (
        <PanelAction
          icon={Trash2}
          label={t`Delete…`}
          refusal={
            rights.delete === null
              ? undefined
              : t`Another rollout takes its devices from this one. Start or delete that rollout first.`
          }
          onAct={() => void remove()}
        />
      )}
      {open === 'edit' && <RolloutForm rollout={rollout} onClose={close} onSaved={close} />}
      {open === 'resume' && <ResumeDialog rollout={rollout} onClose={close} />}
    </div>
  )
}
