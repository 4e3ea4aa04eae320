import type { KeyMismatch } from '@grove/contract/maple/card/key'
import type { ProblemCode } from '@grove/contract/problem-codes'
import type { SessionFailure } from '@grove/contract/maple/card/session.rules'

/**
 * An error of a session, as a message. It contains no command, no reply and no cause: either could
 * leak a key into a log.
 */
export class SessionError extends Error {
  override readonly name = 'SessionError'
  readonly code:
    | SessionFailure
    | 'not_sent'
    | Extract<ProblemCode, 'session_ended' | 'element_blocked'>
  /** Of the card, if it answered. */
  readonly statusWord: number | undefined
  /** Of `wrong_keys`: which keys the card has instead. */
  readonly mismatch: KeyMismatch | undefined

  constructor(
    code: SessionError['code'],
    message: string,
    statusWord?: number,
    mismatch?: KeyMismatch,
  ) {
    super(message)
    this.code = code
    this.statusWord = statusWord
    this.mismatch = mismatch
  }
}
