/** The result of one check. */
export interface Finding {
  /**
   * `fits`; `wrong`: a page cannot use the service like this, or must not; `warning`: it works, but
   * could be better; `skipped`: not checked, for the reason in `what`.
   */
  level: 'fits' | 'wrong' | 'warning' | 'skipped'
  /** Identifies the finding across releases, such as `reuse_taken`. */
  code: string
  /** The call, such as `POST /api/token/refresh`. */
  call: string
  /** What was found. */
  what: string
  /** What to change; only for `wrong` and `warning`. */
  right?: string
}

/**
 * The whole of a check: `fits`; `wrong`: at least one finding is; `unreachable`: no call was
 * answered; `refused`: the account was refused, and nothing else is wrong, so half was not checked.
 */
export type Outcome = 'fits' | 'wrong' | 'unreachable' | 'refused'

/** The codes of two findings: nothing could be checked, and nobody could sign in. */
export const unreachable = 'unreachable'
export const signInRefused = 'sign_in_refused'

/** Summarises findings. */
export function outcomeOf(findings: readonly Finding[]): Outcome {
  const wrong = findings.filter(({ level }) => level === 'wrong').map(({ code }) => code)
  if (wrong.length === 0) return 'fits'
  if (wrong.includes(unreachable)) return 'unreachable'
  return wrong.every((code) => code === signInRefused) ? 'refused' : 'wrong'
}

/** Receives findings as they are made. */
export interface Report {
  fits: (code: string, call: string, what: string) => void
  wrong: (code: string, call: string, what: string, right: string) => void
  warning: (code: string, call: string, what: string, right: string) => void
  skipped: (code: string, call: string, what: string) => void
}

/** A service may send any text: it must stay on one line. */
const plain = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\uFFFD')

export function createReport(add: (finding: Finding) => void): Report {
  const problem = (level: 'wrong' | 'warning'): Report['wrong'] => {
    return (code, call, what, right) => add({ level, code, call, what: plain(what), right })
  }
  return {
    fits: (code, call, what) => add({ level: 'fits', code, call, what: plain(what) }),
    wrong: problem('wrong'),
    warning: problem('warning'),
    skipped: (code, call, what) => add({ level: 'skipped', code, call, what: plain(what) }),
  }
}
