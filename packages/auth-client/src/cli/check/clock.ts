import { knownSkew } from '../../session/clock-skew.ts'
import type { Answer } from './answer.ts'
import type { Report } from './finding.ts'

/**
 * In milliseconds. Verifiers commonly tolerate five seconds between two clocks, few tolerate a
 * minute.
 */
const slight = 5000
const far = 60_000

/** The service's clock minus ours, in milliseconds; undefined without a `Date`. */
export const skewOf = ({
  headers,
  sentAt,
  receivedAt,
}: Pick<Answer, 'headers' | 'sentAt' | 'receivedAt'>) =>
  knownSkew(sentAt, receivedAt, Date.parse(headers.get('date') ?? ''))

export function durationOf(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000)
  if (seconds < 120) return `${seconds} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  const hours = Math.round(seconds / 3600)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`
}

const direction = (ms: number) => (ms > 0 ? 'ahead of' : 'behind')

/** Compares the service's clock with this machine's. */
export function judgeClock(report: Report, answer: Answer): void {
  const { call } = answer
  const skew = skewOf(answer)
  const right = 'Set the clock that is wrong, by NTP'
  if (skew === undefined)
    return report.warning(
      'no_date',
      call,
      'The answer has no Date: a machine with a wrong clock is corrected by guesswork',
      'Send Date with every answer',
    )
  const what = `The clock of the service is ${durationOf(skew)} ${direction(skew)} the one of this machine`
  if (Math.abs(skew) > far)
    return report.wrong('clock', call, `${what}: APIs by another clock refuse its tokens`, right)
  if (Math.abs(skew) > slight) return report.warning('clock', call, what, right)
  report.fits('clock', call, 'The clock of the service agrees with the one of this machine')
}

/** Compares a token's issue time with the `Date` of its answer, both in ms. */
export function judgeIssueTime(
  report: Report,
  call: string,
  { issuedAt, date }: { issuedAt: number; date: number },
): void {
  const skew = issuedAt - date
  if (Math.abs(skew) <= far) return
  report.wrong(
    'iat_clock',
    call,
    `The token says that it was issued ${durationOf(skew)} ${skew > 0 ? 'after' : 'before'} the Date of its answer`,
    'Have iat, exp and Date from one clock, in UTC',
  )
}
