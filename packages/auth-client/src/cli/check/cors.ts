import { isMissing } from './answer.ts'
import type { Exchange } from './browser.ts'
import type { Context } from './context.ts'
import { isExposed } from './cors-rules.ts'

/** Judges what a page of another origin may send and read, over all calls made. */
export function judgeCors({ browser, report, options }: Context): void {
  const { origin } = browser
  const seen = browser.exchanges
  const foreign = seen.filter(({ url }) => browser.isForeign(url))
  if (foreign.length === 0) {
    if (seen.length > 0)
      report.fits('cors', 'CORS', `The page is of the service's own origin, ${origin}`)
    return
  }
  const allows = ({ headers }: Exchange) => headers.has('access-control-allow-origin')
  if (options.origin === undefined && !foreign.some(allows))
    return report.warning(
      'same_origin_only',
      'CORS',
      'The service allows no other origin: only pages of its own origin can use it',
      'Give --origin; if that is another one, send Access-Control-Allow-Origin with every answer',
    )
  // A call that does not exist needs no preflight.
  const missing = new Set(foreign.filter((each) => isGone(each)).map(({ call }) => call))
  const judged = foreign.filter(({ call, isPreflight }) => !isPreflight || !missing.has(call))
  const problems = new Map<string, Exchange[]>()
  for (const each of judged) {
    if (each.problem === null) continue
    const key = `${each.problem.code} ${each.problem.what}`
    problems.set(key, [...(problems.get(key) ?? []), each])
  }
  for (const group of problems.values()) reportGroup(group)
  if (problems.size === 0)
    report.fits('cors', 'CORS', `Pages of ${origin} may send each call and read each answer`)
  judgeExposed(judged.filter((each) => !each.isPreflight && !each.call.includes('jwks')))

  function reportGroup(group: Exchange[]): void {
    const [first] = group
    if (!first?.problem) return
    const names = [...new Set(group.map(nameOf))]
    const others = names.slice(1)
    const listed = others.slice(0, 5).join(', ') + (others.length > 5 ? ', …' : '')
    const more = others.length === 0 ? '' : `. The same for ${others.length} more: ${listed}`
    const { code, what, right } = first.problem
    report.wrong(code, names[0] ?? first.call, what + more, right)
  }

  function judgeExposed(answers: Exchange[]): void {
    const hidden = ['date', 'retry-after'].filter((name) =>
      answers.some(({ headers, problem }) => problem === null && !isExposed(headers, name)),
    )
    if (!answers.some(({ problem }) => problem === null)) return
    if (hidden.length === 0)
      return report.fits(
        'cors_exposed',
        'CORS',
        'Exposes Date and Retry-After: a machine with a wrong clock is corrected',
      )
    report.warning(
      'cors_exposed',
      'CORS',
      `Pages cannot read ${hidden.map((name) => (name === 'date' ? 'Date' : 'Retry-After')).join(' and ')}: the client guesses the time, or the pause`,
      'Send Access-Control-Expose-Headers: Date, Retry-After with every answer',
    )
  }
}

const isGone = (exchange: Exchange) => !exchange.isPreflight && isMissing(exchange)

const nameOf = ({ call, isPreflight, status }: Exchange) =>
  isPreflight ? `OPTIONS ${call.replace(/^\w+ /, '')}` : `${call} (${status})`
