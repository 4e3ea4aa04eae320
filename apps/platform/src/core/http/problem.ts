import type { Problem } from '@grove/contract'

/** Every code that the platform answers: its status and the title of its kind. Codes are stable. */
export const problemKinds = {
  malformed_json: [400, 'The body is not JSON'],
  invalid_request: [400, 'The request is not valid'],
  bad_cursor: [400, 'The page cursor is not valid'],
  unsupported_api_version: [400, 'Unknown api-version'],
  wrong_credentials: [401, 'Wrong email or password'],
  unauthorized: [401, 'Sign-in is needed'],
  wrong_password: [400, 'The present password is wrong'],
  invalid_email_token: [400, 'The link is no longer valid'],
  invalid_link_token: [400, 'The link between accounts is no longer valid'],
  external_sign_in_failed: [401, 'The external sign-in failed'],
  invalid_refresh_token: [401, 'The session has ended'],
  forbidden: [403, 'Not allowed'],
  account_disabled: [403, 'The account is disabled'],
  not_found: [404, 'Not found'],
  unknown_broker: [404, 'Unknown identity provider'],
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
  identity_taken: [409, 'The identity belongs to another account'],
  own_account: [409, 'Your own account cannot be disabled'],
  last_sign_in_method: [409, 'The account would have no way to sign in'],
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
  broker_unavailable: [503, 'The identity provider does not answer'],
  console_address_unknown: [503, 'The console’s address is not set'],
  mail_unavailable: [503, 'No mail can be sent'],
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
