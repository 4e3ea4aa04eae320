import type { Rollout } from '@grove/contract/maple/rollout/rollout'
import { errorsOf } from '@grove/contract/maple/rollout/rollout.rules'
import { definePolicy, refusal } from '../../../core/policy.ts'

/** Rights on objects, by state and, where relevant, by actor. */
export const { can, assertAllowed, rightsOf } = definePolicy({
  'rollout.change': ({ state }: RolloutAt) =>
    state === 'draft' ? null : notNow('Only a draft can be changed.'),
  'rollout.start': ({ state }: RolloutAt) =>
    state === 'draft' ? null : notNow('The rollout has already been started.'),
  'rollout.pause': ({ state }: RolloutAt) =>
    state === 'running' ? null : notNow('Only a running rollout can be paused.'),
  'rollout.resume': ({ state }: RolloutAt) =>
    state === 'paused' ? null : notNow('The rollout is not paused.'),
  'rollout.next': ({ state, groups }: RolloutAt) => {
    if (state !== 'running' && state !== 'paused') return notNow('The rollout is not running.')
    if (groups.some((group) => group.state === 'failed'))
      return notNow('A group failed: resume the rollout and say how to continue with it.')
    return groups.some((group) => group.state === 'waiting')
      ? null
      : notNow('Every group was started.')
  },
  'rollout.stop': ({ state }: RolloutAt) =>
    state === 'running' || state === 'paused' || state === 'ready'
      ? null
      : notNow('The rollout is not running.'),
  'rollout.rollBack': ({ state, groups, hasWayBack }: RolloutAt) => {
    if (state !== 'paused' && state !== 'stopped' && state !== 'finished')
      return notNow('Pause or stop the rollout first.')
    if (groups.every(({ succeeded }) => succeeded === 0))
      return notNow('It succeeded nowhere, so there is nothing to roll back.')
    return hasWayBack
      ? null
      : refusal('no_way_back', 'What this program does can’t be rolled back.')
  },
  'rollout.retry': ({ state, groups }: RolloutAt) => {
    if (state !== 'stopped' && state !== 'finished')
      return notNow('The rollout is not finished: a failed group is retried when it is resumed.')
    return groups.some((group) => errorsOf(group) > 0)
      ? null
      : notNow('It failed nowhere, so there is nothing to retry.')
  },
  'rollout.delete': ({ state, isSource }: RolloutAt) => {
    if (state !== 'draft' && state !== 'stopped' && state !== 'finished')
      return notNow('Stop the rollout first.')
    return isSource ? notNow('Another rollout takes its devices from this one.') : null
  },
})

interface RolloutAt extends Pick<Rollout, 'state'> {
  /** The effect of its program can be rolled back. */
  hasWayBack: boolean
  /** Another rollout is yet to find its devices in this one. */
  isSource: boolean
  groups: readonly Pick<Rollout['groups'][number], 'state' | 'succeeded' | 'failed' | 'timedOut'>[]
}

const notNow = (detail: string) => refusal('transition_refused', detail)
