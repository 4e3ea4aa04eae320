import { createTokenJudge } from './check/access-token.ts'
import { judgeAccount } from './check/account.ts'
import type { Answer } from './check/answer.ts'
import { createBrowser } from './check/browser.ts'
import { judgeClock } from './check/clock.ts'
import { attempt, type Context, type ReceivedToken } from './check/context.ts'
import { judgeCookies } from './check/cookies.ts'
import { judgeCors } from './check/cors.ts'
import { judgeExternalLogin, stageCall } from './check/external.ts'
import { Stopped } from './check/failure.ts'
import { createReport, type Finding } from './check/finding.ts'
import { postLogout } from './check/logout.ts'
import type { CheckOptions } from './check/options.ts'
import { judgePage } from './check/page-check.ts'
import { judgeStranger, passwordCall } from './check/password.ts'
import {
  anonymousCall,
  existsCall,
  judgeAnonymous,
  judgeExists,
  judgeSignUp,
  signUpCall,
} from './check/public-calls.ts'
import { reach } from './check/reach.ts'
import { judgeUnknownToken, refreshCall } from './check/refresh.ts'

export { outcomeOf, type Finding, type Outcome } from './check/finding.ts'
export type { CheckOptions } from './check/options.ts'

/** Milliseconds that a sign-out may take once the check has ended. */
const farewell = 2000

/**
 * Calls a service like a page in a browser, and returns what conforms to PROTOCOL.md and what does
 * not, each with what to change. Never rejects because of the service: that it does not respond is a
 * finding. Signs in at most twice and tries two wrong passwords; remaining sessions are signed out.
 */
export async function check(options: CheckOptions): Promise<Finding[]> {
  const findings: Finding[] = []
  const report = createReport((finding) => {
    findings.push(finding)
    options.onFinding?.(finding)
  })
  const browser = createBrowser({
    base: new URL(options.url),
    origin: options.origin ?? 'https://app.example',
    apiVersion: options.apiVersion ?? '1',
    report,
    fetch: options.fetch ?? fetch,
    timeout: options.timeout ?? 10_000,
    totalTimeout: options.totalTimeout ?? 120_000,
    signal: options.signal,
  })
  const context = { browser, report, options, tokens: createTokenJudge({ report, options }) }
  const sessions = new Set<ReceivedToken>()
  try {
    const stage = await reach(context)
    if (stage === undefined) return findings
    await judgeAll(context, stage, sessions)
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
    report.skipped('stopped', 'The rest', `Not checked: ${error.message}`)
  }
  judgeCors(context)
  judgeCookies(context)
  await signOutAll(context, sessions)
  return findings
}

/** `stage` is the answer about the external login, with which the service was reached. */
async function judgeAll(
  context: Context,
  stage: Answer | null,
  sessions: Set<ReceivedToken>,
): Promise<void> {
  judgePage(context)
  if (stage) {
    judgeClock(context.report, stage)
    await attempt(context, stageCall, () => judgeExternalLogin(context, stage))
  }
  await attempt(context, anonymousCall, () => judgeAnonymous(context))
  let hasSignUp = false
  await attempt(context, signUpCall, async () => {
    hasSignUp = await judgeSignUp(context)
  })
  await attempt(context, existsCall, () => judgeExists(context, hasSignUp))
  await attempt(context, refreshCall, () => judgeUnknownToken(context))
  let stranger: Answer | null = null
  await attempt(context, passwordCall, async () => {
    stranger = await judgeStranger(context)
  })
  await judgeAccount(context, stranger, sessions)
}

/** Leaves no session behind, even if the check was stopped. */
async function signOutAll({ options }: Context, sessions: Set<ReceivedToken>): Promise<void> {
  const silent = createReport(() => {})
  const browser = createBrowser({
    base: new URL(options.url),
    // The service's own origin: no preflights.
    origin: new URL(options.url).origin,
    apiVersion: options.apiVersion ?? '1',
    report: silent,
    fetch: options.fetch ?? fetch,
    timeout: farewell,
    totalTimeout: farewell,
  })
  for (const token of sessions)
    await postLogout(browser, options.realm, token).catch((error: unknown) => error)
}
