import type { Browser } from './browser.ts'
import { CallFailure } from './failure.ts'
import type { Report } from './finding.ts'
import type { CheckOptions } from './options.ts'

/** What the parts of a check share. */
export interface Context {
  browser: Browser
  report: Report
  options: CheckOptions
  /** Judges access tokens; each fault of theirs is said once. */
  tokens: TokenJudge
}

export interface TokenJudge {
  /** An anonymous one needs no user; a later one says nothing of what fits. */
  judge: (token: ReceivedToken, kind: 'first' | 'later' | 'anonymous') => void
  /** Whether a token had a fault. */
  hasFaults: () => boolean
}

/** A token and the answer that it was in. */
export interface ReceivedToken {
  call: string
  tokenType: string
  accessToken: string
  refreshToken?: string
  headers: Headers
  sentAt: number
  receivedAt: number
}

/** Does a part of the check; a call that failed is its finding. */
export async function attempt(
  { report }: Pick<Context, 'report'>,
  call: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    report.wrong(error.code, call, error.message, error.right)
  }
}
