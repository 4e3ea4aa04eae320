import { HttpError } from '../http/http-error.ts'
import { isRecord } from './token.ts'

const REJECTIONS = new Set<unknown>(['invalid_refresh_token', 'account_disabled', 'invalid_grant'])

export type RefreshFailure = { rejected: true } | { rejected: false; retryAfter?: number }

/**
 * Tells a service that refused the refresh token from everything that may pass: a lost connection,
 * a limit, a failing server, or a proxy that answers in the service's place.
 */
export function classifyRefreshFailure(error: unknown): RefreshFailure {
  if (!(error instanceof HttpError)) return { rejected: false }
  const { status, body, headers } = error
  // A JSON 401 is the service's own word whatever its shape is; the two others need a known code,
  // since an unknown api-version is a 400 and a firewall's refusal a 403.
  if (isRecord(body)) {
    if (status === 401) return { rejected: true }
    if (status === 400 || status === 403) {
      if (REJECTIONS.has(body['code']) || REJECTIONS.has(body['error'])) return { rejected: true }
    }
  }
  const seconds = Number(headers?.get('retry-after'))
  return { rejected: false, retryAfter: seconds > 0 ? seconds * 1000 : undefined }
}
