import { expect, test } from 'vitest'
import type { RolloutPlan } from '@grove/contract/maple/rollout/rollout'
import {
  groupSizes,
  judgeGroup,
  noCounts,
  usualThresholds,
  type GroupSize,
} from '@grove/contract/maple/rollout/rollout.rules'
import type { GroupRow } from './rollout.queries.ts'
import { nextSteps } from './next-steps.rules.ts'

/** The same numbers in each run. */
function numbers(seed: number) {
  let state = seed
  return (below: number) => (state = (state * 48_271) % 2_147_483_647) % below
}

test('groups contain every device once, and a share is rounded up', () => {
  const random = numbers(11)
  for (let round = 0; round < 3_000; round++) {
    const total = random(5) === 0 ? random(4) : random(100_000)
    const groups: GroupSize[] = []
    for (let share = 0; groups.length < 1 + random(8);) {
      const amount = 1 + random(40)
      if (random(3) > 0 && share + amount <= 100) groups.push({ by: 'share', amount })
      else groups.push({ by: 'count', amount: random(total + 10) })
      share += groups.at(-1)?.by === 'share' ? amount : 0
    }
    if (random(2) === 0) groups.push({ by: 'rest', amount: 0 })
    const sizes = groupSizes(total, groups)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(total)
    expect(sizes.every((size) => Number.isInteger(size) && size >= 0)).toBe(true)
    if (groups.slice(0, -1).some(({ by }) => by !== 'share')) continue
    // Percentages only: each is within one device of the exact share, except the last.
    for (const [index, { amount }] of groups.slice(0, -1).entries())
      expect(Math.abs((sizes[index] ?? 0) - (total * amount) / 100)).toBeLessThan(1)
  }
})

test('one percent of a few devices is one device', () => {
  const shares = [1, 10, 89].map((amount) => ({ by: 'share', amount }) as const)
  expect(groupSizes(6, shares)).toEqual([1, 0, 5])
  expect(groupSizes(0, shares)).toEqual([0, 0, 0])
  expect(
    groupSizes(10, [
      { by: 'count', amount: 4 },
      { by: 'rest', amount: 0 },
    ]),
  ).toEqual([4, 6])
  expect(
    groupSizes(3, [
      { by: 'count', amount: 4 },
      { by: 'rest', amount: 0 },
    ]),
  ).toEqual([3, 0])
})

test('errors are a share of the finished ones: offline devices neither block nor hide them', () => {
  const random = numbers(5)
  for (let round = 0; round < 2_000; round++) {
    const [succeeded, failed, timedOut] = [random(50), random(20), random(20)]
    const counts = { ...noCounts, succeeded, failed, timedOut }
    const thresholds = {
      success: 100,
      errorShare: random(101),
      errorMinimum: 1 + random(30),
      mostErrors: random(2) === 0 ? null : 1 + random(30),
    }
    const ended = succeeded + failed + timedOut
    const errors = failed + timedOut
    const isTooMany =
      (ended >= thresholds.errorMinimum && errors / ended > thresholds.errorShare / 100) ||
      (thresholds.mostErrors !== null && errors >= thresholds.mostErrors)
    for (const away of [0, 1, 100_000]) {
      const verdict = judgeGroup(thresholds, { ...counts, total: ended + away, queued: away })
      expect(verdict === 'too_many_errors').toBe(isTooMany)
    }
  }
})

test('a group passes as soon as enough succeeded, and fails when all ended and too few succeeded', () => {
  const thresholds = { ...usualThresholds, success: 50, errorShare: 100 }
  const of = (counts: object) => judgeGroup(thresholds, { ...noCounts, total: 10, ...counts })
  expect(of({ succeeded: 4, queued: 6 })).toBe('under_way')
  expect(of({ succeeded: 5, queued: 5 })).toBe('passed')
  expect(of({ succeeded: 4, failed: 6 })).toBe('too_few_successes')
  expect(of({ succeeded: 4, failed: 2, skipped: 4 })).toBe('passed')
  expect(judgeGroup(thresholds, { ...noCounts, total: 10, failed: 10 }, { isTolerant: true })).toBe(
    'passed',
  )
})

const group = (number: number, more: Partial<GroupRow>): GroupRow => ({
  ...noCounts,
  number,
  state: 'waiting',
  isTolerant: false,
  startedAt: null,
  endedAt: null,
  ...more,
})
const planned = { by: 'share', amount: 50, ...usualThresholds, pausesAfter: false } as const
const plan: RolloutPlan = {
  canaries: ['00'],
  groups: [planned, { ...planned, pausesAfter: true }, planned],
  perMinute: null,
  atOnce: 4,
  window: null,
  runMinutes: 10,
  startHours: 10,
  startsAt: null,
}
const stepsOf = (groups: GroupRow[], more: object = {}) =>
  nextSteps({ state: 'running', plan, groups, isOpen: false, ...more }).map((step) =>
    step.kind === 'group' ? `${step.number} ${step.state}` : Object.values(step).join(' '),
  )
const done = { total: 4, succeeded: 4 }
const waiting = { total: 4, queued: 4 }

test('groups follow one another, and a failing software card stops them all', () => {
  const rest = [group(1, waiting), group(2, waiting), group(3, waiting)]
  expect(stepsOf([group(0, waiting), ...rest])).toEqual(['0 running'])
  expect(stepsOf([group(0, { ...waiting, state: 'running' }), ...rest])).toEqual([])
  expect(stepsOf([group(0, { ...done, state: 'running' }), ...rest])).toEqual([
    '0 finished',
    '1 running',
  ])
  const failing = group(0, { total: 4, succeeded: 1, failed: 1, queued: 2, state: 'running' })
  expect(stepsOf([failing, ...rest])).toEqual(['0 failed', 'pause errors'])
})

test('a group after a manual one waits until all of it has ended, and then for a person', () => {
  const begun = [group(0, { ...done, state: 'finished' }), group(1, { ...done, state: 'finished' })]
  const nearly = { total: 20, succeeded: 19, queued: 1, state: 'running' } as const
  expect(stepsOf([...begun, group(2, nearly), group(3, waiting)])).toEqual([])
  expect(stepsOf([...begun, group(2, { ...done, state: 'running' }), group(3, waiting)])).toEqual([
    '2 finished',
    'pause next_group',
  ])
})

test('empty groups are skipped, and the last group finishes the rollout unless devices may still join', () => {
  const groups = [group(0, { ...done, state: 'running' }), group(1, {})]
  expect(stepsOf(groups)).toEqual(['0 finished', '1 running', '1 finished', 'finish'])
  expect(stepsOf(groups, { isOpen: true })).toEqual(['0 finished', '1 running', '1 finished'])
})

test('while paused nothing starts, and a stopped one ends with its last device', () => {
  const groups = [group(0, { ...done, state: 'running' }), group(1, waiting)]
  expect(stepsOf(groups, { state: 'paused' })).toEqual(['0 finished'])
  expect(stepsOf(groups, { state: 'stopping' })).toEqual([])
  expect(stepsOf([group(0, done)], { state: 'stopping' })).toEqual(['stop'])
})
