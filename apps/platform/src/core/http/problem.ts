import { problemCodes, type ProblemCode } from '@grove/contract/problem-codes'
import type { FieldError, Problem } from '@grove/contract/shapes'

export type { FieldError, ProblemCode }

interface ProblemExtras {
  errors?: FieldError[]
  /** Seconds until a retry makes sense, sent as `Retry-After`. */
  retryAfter?: number
  cause?: unknown
}

/** A failure with a message for the caller: what is wrong and what to do. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly code: ProblemCode
  readonly status: number
  readonly errors: FieldError[] | undefined
  readonly retryAfter: number | undefined

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail, { cause: extras.cause })
    this.code = code
    this.status = problemCodes[code][0]
    this.errors = extras.errors
    this.retryAfter = extras.retryAfter
  }

  toProblem(requestId: string): Problem {
    return {
      type: `urn:grove:problem:${this.code}`,
      title: problemCodes[this.code][1],
      status: this.status,
      detail: this.message,
      code: this.code,
      requestId,
      ...(this.errors && { errors: this.errors }),
    }
  }
}

/** A problem caused by one field of the request. */
export const fieldProblem = (code: ProblemCode, path: string, message: string): ProblemError =>
  new ProblemError(code, message, { errors: [{ path, code, message }] })

/** Refuses one field, in the same form as schema errors; `params` are the values in the message. */
export function invalidField(
  path: string,
  code: string,
  message: string,
  params?: FieldError['params'],
): ProblemError {
  return new ProblemError('invalid_request', message, {
    errors: [{ path, code, message, ...(params && { params }) }],
  })
}
