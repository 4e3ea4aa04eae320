import { sortedBy } from '../../page.rules.ts'

export const rolloutSorting = sortedBy(['createdAt', 'name'], 'createdAt', 'desc')

export const executionSorting = sortedBy(['deviceId'], 'deviceId', 'asc')

/** The program that a rollout runs on each device. */
export const programKinds = ['applet', 'template', 'script', 'image'] as const
export type ProgramKind = (typeof programKinds)[number]

/** Operations on an applet. */
export const appletActions = ['install', 'upgrade', 'uninstall'] as const
export type AppletAction = (typeof appletActions)[number]

export const rolloutStates = [
  'draft',
  'waiting_for_approval',
  /** It starts automatically at its time. */
  'ready',
  'running',
  'paused',
  /** What runs is finished; what waits is cancelled. */
  'stopping',
  'stopped',
  'finished',
] as const
export type RolloutState = (typeof rolloutStates)[number]

/** Whether devices may still get the program. */
export const isUnderWay = (state: RolloutState): boolean =>
  state === 'running' || state === 'paused' || state === 'stopping'

export const groupStates = [
  'waiting',
  'running',
  'finished',
  /** A threshold was reached: the rollout paused itself. */
  'failed',
  /** It was skipped: its devices are being removed from it. */
  'skipping',
  'skipped',
] as const
export type GroupState = (typeof groupStates)[number]

export const executionStates = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'skipped',
] as const
export type ExecutionState = (typeof executionStates)[number]
/** How a device ends that another rollout can retry. */
export const retriedStates = ['failed', 'timed_out'] as const satisfies ExecutionState[]
export type RetriedState = (typeof retriedStates)[number]

/** Why a rollout is paused: by a person, a threshold, or because a person starts the next group. */
export const pauseReasons = ['person', 'errors', 'successes', 'next_group'] as const
export type PauseReason = (typeof pauseReasons)[number]

/** What becomes of a group that failed when its rollout is resumed. */
export const resumeChoices = [
  /** Its failed devices are tried again. */
  'retry',
  /** Its failures are accepted: its other devices and the next group continue. */
  'next',
  /** Its devices that wait are skipped, and the next group starts. */
  'skip',
] as const
export type ResumeChoice = (typeof resumeChoices)[number]

/** How the size of a group is given; `rest` takes all remaining devices. */
export const groupSizings = ['share', 'count', 'rest'] as const
export type GroupSizing = (typeof groupSizings)[number]

export const maxRolloutNameLength = 100
export const maxGroups = 12
export const maxCanaries = 20
export const maxChosen = 1_000
export const maxAtOnce = 256
export const usualAtOnce = 16
export const maxPerMinute = 10_000
export const maxRunMinutes = 24 * 60
export const maxStartHours = 90 * 24
export const maxCauseLength = 160
/** Of a rollout; further ones are counted as one. */
export const maxCauses = 50
export const rolloutSearchLimit = 1_000

/** A time of day, such as `22:30`. */
export const timePattern = '^([01][0-9]|2[0-3]):[0-5][0-9]$'
/** The attribute of a device that names its time zone. */
export const zoneAttribute = 'timezone'

/** When a rollout pauses itself, and when its next group starts. */
export interface Thresholds {
  /** Percent of the group's devices that succeed before the next group starts. */
  success: number
  /** Percent of the ended devices: more failures pause the rollout … */
  errorShare: number
  /** … once this many are finished. */
  errorMinimum: number
  /** This many failures pause the rollout, whatever their share; null for no such limit. */
  mostErrors: number | null
}

export const usualThresholds: Thresholds = {
  success: 90,
  errorShare: 10,
  errorMinimum: 5,
  mostErrors: null,
}

export interface GroupSize {
  by: GroupSizing
  /** Percent, or devices; of no meaning for `rest`. */
  amount: number
}

/**
 * How many devices each group has: together all of them. A share is of all devices; a group is
 * rounded up, so that none is empty while devices are left.
 */
export function groupSizes(total: number, groups: readonly GroupSize[]): number[] {
  let left = total
  let share = 0
  let shared = 0
  return groups.map(({ by, amount }, index) => {
    let size = left
    if (by === 'count') size = amount
    if (by === 'share') {
      share += amount
      const upTo = Math.ceil((total * share) / 100)
      size = upTo - shared
      shared = upTo
    }
    // Whatever their sizes, the groups have every device.
    if (index === groups.length - 1) size = left
    size = Math.max(0, Math.min(size, left))
    left -= size
    return size
  })
}

export interface Counts {
  total: number
  queued: number
  running: number
  succeeded: number
  failed: number
  timedOut: number
  cancelled: number
  skipped: number
}

export const noCounts: Counts = {
  total: 0,
  queued: 0,
  running: 0,
  succeeded: 0,
  failed: 0,
  timedOut: 0,
  cancelled: 0,
  skipped: 0,
}

export const sumOf = (groups: readonly Counts[]): Counts => {
  const sum = { ...noCounts }
  for (const group of groups)
    for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += group[name]
  return sum
}

export const errorsOf = ({ failed, timedOut }: Pick<Counts, 'failed' | 'timedOut'>): number =>
  failed + timedOut

/** The progress of a group, from its counters only. */
export type Verdict =
  | 'under_way'
  /** Enough succeeded for the next group; some may still run. */
  | 'passed'
  | 'too_many_errors'
  /** All have ended, and too few succeeded. */
  | 'too_few_successes'

/**
 * A device that is away or waits for its hours does not count before it has ended: errors are a share
 * of what ended, not of the group.
 */
export function judgeGroup(
  { success, errorShare, errorMinimum, mostErrors }: Thresholds,
  counts: Counts,
  { isTolerant = false } = {},
): Verdict {
  const errors = errorsOf(counts)
  const ended = counts.succeeded + errors
  const isOver = counts.queued + counts.running === 0
  if (!isTolerant) {
    const isTooMany = ended >= errorMinimum && errors * 100 > errorShare * ended
    if (isTooMany || (mostErrors !== null && errors >= mostErrors)) return 'too_many_errors'
  }
  const wanted = counts.total - counts.cancelled - counts.skipped
  if (counts.succeeded * 100 >= success * wanted) return 'passed'
  if (!isOver) return 'under_way'
  return isTolerant ? 'passed' : 'too_few_successes'
}
