import type { Problem } from '@grove/contract'

/** Every code that the platform answers: its status and the title of its kind. Codes are stable. */
export const problemKinds = {
  malformed_json: [400, 'The body is not JSON'],
  invalid_request: [400, 'The request is not valid'],
  bad_cursor: [400, 'The page cursor is not valid'],
  unsupported_api_version: [400, 'Unknown api-version'],
  wrong_credentials: [401, 'Wrong email or password'],
  unauthorized: [401, 'Sign-in is needed'],
  invalid_refresh_token: [401, 'The session has ended'],
  forbidden: [403, 'Not allowed'],
  account_disabled: [403, 'The account is disabled'],
  not_found: [404, 'Not found'],
  unknown_realm: [404, 'Unknown authentication provider'],
  edit_conflict: [409, 'Changed by someone else'],
  sign_up_refused: [409, 'The account cannot be created'],
  version_taken: [409, 'The version exists already'],
  version_not_higher: [409, 'The version is not higher'],
  version_is_final: [409, 'The package can no longer change'],
  version_is_live: [409, 'The version is live'],
  product_is_live: [409, 'The product is live'],
  package_missing: [409, 'No package that passed its checks'],
  translation_missing: [409, 'A translation is missing'],
  limit_reached: [409, 'A limit is reached'],
  device_id_taken: [409, 'The device id is taken'],
  element_attached_elsewhere: [409, 'The element belongs to another device'],
  transition_refused: [409, 'The state cannot change so'],
  file_too_large: [413, 'The file is too large'],
  body_too_large: [413, 'The body is too large'],
  unsupported_media_type: [415, 'Unsupported content type'],
  file_missing: [422, 'No file was sent'],
  image_refused: [422, 'The image cannot be used'],
  too_many_attempts: [429, 'Too many attempts'],
  internal_error: [500, 'Something went wrong'],
  database_unavailable: [503, 'The database is not available'],
  keys_unavailable: [503, 'The authentication service is not available'],
  storage_full: [503, 'The disk is full'],
} as const satisfies Record<string, readonly [status: number, title: string]>

export type ProblemCode = keyof typeof problemKinds

export interface FieldError {
  /** Where in the request: `translations.0.title`; empty for the whole body. */
  path: string
  code: string
  message: string
}

interface ProblemExtras {
  errors?: FieldError[]
  /** Seconds after which a retry makes sense, sent as `Retry-After`. */
  retryAfter?: number
  cause?: unknown
}

/** A failure that the caller may read: one sentence that says what is wrong and what would be right. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly code: ProblemCode
  readonly status: number
  readonly errors: FieldError[] | undefined
  readonly retryAfter: number | undefined

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail, { cause: extras.cause })
    this.code = code
    this.status = problemKinds[code][0]
    this.errors = extras.errors
    this.retryAfter = extras.retryAfter
  }

  toProblem(requestId: string): Problem {
    return {
      type: `urn:grove:problem:${this.code}`,
      title: problemKinds[this.code][1],
      status: this.status,
      detail: this.message,
      code: this.code,
      requestId,
      ...(this.errors && { errors: this.errors }),
    }
  }
}

/** Refuses one field in the form that schema errors have. */
export function invalidField(path: string, code: string, message: string): ProblemError {
  return new ProblemError('invalid_request', message, { errors: [{ path, code, message }] })
}
