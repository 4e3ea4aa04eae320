import type { Finding, Outcome } from './check.ts'

const colours: Record<Finding['level'], number> = { fits: 32, wrong: 31, warning: 33, skipped: 90 }

/** The lines of a finding: the result, the call, what was found, and below it what to change. */
export function linesOf({ level, call, what, right }: Finding, isColoured: boolean): string[] {
  const word = level.padEnd(7)
  const shown = isColoured ? `\u001B[${colours[level]}m${word}\u001B[0m` : word
  const change = right === undefined ? [] : [`         right: ${right}`]
  return [`${shown}  ${call}: ${what}`, ...change]
}

/** The last line. */
export function summaryOf(url: string, findings: readonly Finding[], outcome: Outcome): string {
  const count = (level: Finding['level']) => findings.filter((each) => each.level === level).length
  const warnings = count('warning')
  const wrong = count('wrong')
  const rest = [
    warnings > 0 && `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`,
    count('skipped') > 0 && `${count('skipped')} skipped`,
  ].filter((text) => text !== false)
  const also = rest.length === 0 ? '' : ` (${rest.join(', ')})`
  const sentences: Record<Outcome, string> = {
    fits: `${url} fits${also}.`,
    wrong: `${url} does not fit: ${wrong} ${wrong === 1 ? 'thing is' : 'things are'} wrong${also}.`,
    unreachable: `${url} cannot be reached.`,
    refused: `${url} refused the account, so only the public calls were checked${also}.`,
  }
  return sentences[outcome]
}
