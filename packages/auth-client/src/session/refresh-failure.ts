import { HttpError } from '../http/http-error.ts'
import { isRecord } from './token.ts'

const REJECTIONS: unknown[] = ['invalid_refresh_token', 'account_disabled', 'invalid_grant']

export interface RefreshFailure {
  /** The service will never take this refresh token again. */
  isRejected: boolean
  /** Milliseconds to wait, as requested by the service. */
  retryAfter: number | undefined
}

/**
 * Distinguishes a service that refused the refresh token from temporary failures: a lost connection,
 * a rate limit, a failing server, or a proxy that answers in the service's place.
 */
export function classifyRefreshFailure(error: unknown): RefreshFailure {
  const { status, body, headers }: Partial<HttpError> = error instanceof HttpError ? error : {}
  // A JSON 401 of any shape comes from the service itself; the two others need a known code,
  // since an unknown api-version is a 400 and a firewall's refusal a 403.
  const isRejected =
    isRecord(body) &&
    (status === 401 ||
      ((status === 400 || status === 403) &&
        [body['code'], body['error']].some((word) => REJECTIONS.includes(word))))
  const seconds = Number(headers?.get('retry-after'))
  return { isRejected, retryAfter: seconds > 0 ? seconds * 1000 : undefined }
}
