import type { Answer } from './answer.ts'
import type { Context } from './context.ts'
import { CallFailure } from './failure.ts'
import { unreachable } from './finding.ts'

/** Faults that may concern only one call. */
const ofOneCall = ['closed', 'timeout', 'redirect', 'too_long']

/**
 * Checks whether the service exists, by the external login that its stage announces. Returns that
 * answer; null if only this call fails, undefined if none is answered.
 */
export async function reach({ browser, report }: Context): Promise<Answer | null | undefined> {
  const calls = [
    { method: 'GET', path: '/api/stage/auth' },
    { method: 'POST', path: '/api/token/refresh', json: { refreshToken: 'made-up' } },
  ] as const
  const failures: CallFailure[] = []
  for (const call of calls) {
    try {
      const answer = await browser.send(call)
      const [failure] = failures
      if (failure === undefined) return answer
      report.wrong(failure.code, 'GET /api/stage/auth', failure.message, failure.right)
      return null
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error
      failures.push(error)
      // An unanswered preflight counts as the second call.
      const isSilent = browser.exchanges.some(({ status }) => status === 0)
      if (isSilent || !ofOneCall.includes(error.code)) break
    }
  }
  const [failure] = failures
  if (!failure) return undefined
  // A service that redirects was reached.
  const code = failure.code === 'redirect' ? failure.code : unreachable
  report.wrong(code, browser.base.href, failure.message, failure.right)
  return undefined
}
