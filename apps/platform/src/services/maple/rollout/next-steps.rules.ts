import type { Rollout, RolloutPlan } from '@grove/contract/maple/rollout/rollout'
import {
  judgeGroup,
  type GroupState,
  type PauseReason,
  type Thresholds,
  type Verdict,
} from '@grove/contract/maple/rollout/rollout.rules'
import type { GroupRow } from './rollout.queries.ts'

/** One failing software card is reason enough to pause before a device gets the program. */
const canaryThresholds: Thresholds = {
  success: 100,
  errorShare: 0,
  errorMinimum: 1,
  mostErrors: 1,
}

/** The number of the group of software cards; those of the plan follow it. */
export const canaryNumber = 0

export function planOf({ groups }: RolloutPlan, number: number) {
  const planned = groups[number - 1]
  return number === canaryNumber || !planned ? { ...canaryThresholds, pausesAfter: false } : planned
}

export const groupNumbers = ({ canaries, groups }: RolloutPlan): number[] => [
  ...(canaries.length > 0 ? [canaryNumber] : []),
  ...groups.map((_, index) => index + 1),
]

const isOver = ({ queued, running }: Pick<GroupRow, 'queued' | 'running'>) => queued + running === 0
const hasEnded = (state: GroupState) =>
  state === 'finished' || state === 'failed' || state === 'skipped'

/** What follows from the counters of a rollout. */
export type Step =
  | { kind: 'group'; number: number; state: GroupState }
  | { kind: 'pause'; reason: PauseReason }
  | { kind: 'finish' }
  | { kind: 'stop' }

interface At {
  state: Rollout['state']
  plan: RolloutPlan
  groups: readonly GroupRow[]
  /** Devices may still join it. */
  isOpen: boolean
}

/** The next steps of a rollout, in order; none after a pause. */
export function nextSteps({ state, plan, groups: given, isOpen }: At): Step[] {
  const steps: Step[] = []
  const groups = given.map((group) => ({ ...group }))
  const move = (group: GroupRow, next: GroupState) => {
    group.state = next
    steps.push({ kind: 'group', number: group.number, state: next })
  }
  if (state === 'stopping') return groups.every(isOver) ? [{ kind: 'stop' }] : []
  if (state !== 'running' && state !== 'paused') return []

  const verdictOf = (group: GroupRow): Verdict =>
    judgeGroup(planOf(plan, group.number), group, group)
  let failure: PauseReason | undefined
  for (const group of groups) {
    if (group.state === 'skipping' && isOver(group)) move(group, 'skipped')
    if (group.state !== 'running') continue
    const verdict = verdictOf(group)
    if (verdict === 'too_many_errors' || verdict === 'too_few_successes') {
      failure ??= verdict === 'too_many_errors' ? 'errors' : 'successes'
      move(group, 'failed')
    } else if (isOver(group)) move(group, 'finished')
  }
  if (failure) return [...steps, { kind: 'pause', reason: failure }]
  if (state === 'paused') return steps

  for (;;) {
    const next = groups.find((group) => group.state === 'waiting')
    if (!next) {
      const isDone = groups.every((group) => hasEnded(group.state))
      return isDone && !isOpen ? [...steps, { kind: 'finish' }] : steps
    }
    const begun = groups.filter((group) => group.state !== 'waiting')
    const last = begun.at(-1)
    const needsPerson = last !== undefined && planOf(plan, last.number).pausesAfter
    const lets = (group: GroupRow) =>
      hasEnded(group.state) ||
      group.state === 'skipping' ||
      (verdictOf(group) === 'passed' && !planOf(plan, group.number).pausesAfter)
    if (!begun.every(lets)) return steps
    if (needsPerson) return [...steps, { kind: 'pause', reason: 'next_group' }]
    move(next, 'running')
    if (isOver(next)) move(next, 'finished')
  }
}

export const failedGroups = ({ groups }: { groups: readonly GroupRow[] }) =>
  groups.filter((group) => group.state === 'failed')
