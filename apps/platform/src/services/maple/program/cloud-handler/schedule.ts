import { Cron } from 'croner'
import type { HandlerTrigger } from '@grove/contract/maple/program/cloud-handler'
import { invalidField } from '../../../../core/http/problem.ts'

type Schedule = Extract<HandlerTrigger, { type: 'schedule' }>

/** The next time of a schedule after a given one, both in milliseconds; null if there is none. */
export function nextTime({ cron, zone }: Pick<Schedule, 'cron' | 'zone'>, after: number) {
  const next = cronOf({ cron, zone }).nextRun(new Date(after))
  return next === null ? null : next.getTime()
}

/** @throws ProblemError `invalid_request` for a schedule that is invalid or never due. */
export function checkSchedule({ cron, zone }: Schedule, now: number): void {
  if (!isZone(zone))
    throw invalidField('trigger.zone', 'zone', `${zone} is not a time zone, such as Europe/Berlin.`)
  const next = attempt(() => nextTime({ cron, zone }, now))
  if (next === undefined)
    throw invalidField(
      'trigger.cron',
      'pattern',
      'A schedule has five fields: minute, hour, day of the month, month and weekday, such as 0 6 * * 1-5.',
    )
  if (next === null) throw invalidField('trigger.cron', 'never', 'This schedule is never due.')
}

// Without seconds: nothing runs more often than once in a minute.
const cronOf = ({ cron, zone }: Pick<Schedule, 'cron' | 'zone'>) =>
  new Cron(cron, { timezone: zone, paused: true, mode: '5-part' })

function isZone(zone: string): boolean {
  return attempt(() => new Intl.DateTimeFormat('en', { timeZone: zone })) !== undefined
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
