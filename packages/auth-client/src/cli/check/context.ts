import type { Browser } from './browser.ts'
import { CallFailure } from './failure.ts'
import type { Report } from './finding.ts'
import type { CheckOptions } from './options.ts'

/** Shared by the parts of a check. */
export interface Context {
  browser: Browser
  report: Report
  options: CheckOptions
  /** Judges access tokens; reports each of their faults once. */
  tokens: TokenJudge
}

export interface TokenJudge {
  /** An anonymous token needs no user; for later ones only faults are reported. */
  judge: (token: ReceivedToken, kind: 'first' | 'later' | 'anonymous') => void
  /** Whether a token had a fault. */
  hasFaults: () => boolean
}

/** A token and the answer that contained it. */
export interface ReceivedToken {
  call: string
  tokenType: string
  accessToken: string
  refreshToken?: string
  headers: Headers
  sentAt: number
  receivedAt: number
}

/** Runs a part of the check; a failed call becomes a finding. */
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
