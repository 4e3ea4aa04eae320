import { ExternalLoginError, HttpError } from '@grove/auth-client'
import { ApiProblem, NetworkProblem, problemBody } from '../api/problem.ts'
import { lastRetryAfter, lastStatus } from './service-fetch.ts'

/** The auth client rejects with the service's body, or with HttpError when there was none. */
export function signInProblem(reason: unknown): unknown {
  if (reason instanceof HttpError) {
    return reason.status === undefined
      ? new NetworkProblem(reason)
      : new ApiProblem({}, reason.status, lastRetryAfter())
  }
  if (reason instanceof ExternalLoginError) return new ApiProblem({ code: reason.code }, 0)
  // Text is what a proxy in between said, in HTML and for its own people.
  if (typeof reason === 'string') return new ApiProblem({}, 502, lastRetryAfter())
  if (typeof reason !== 'object' || reason === null || reason instanceof Error) return reason
  const { status = lastStatus() ?? 400 } = reason as { status?: number }
  return new ApiProblem(problemBody(reason), status, lastRetryAfter())
}

/** A foreign service refuses a password in words of its own; all of them mean the same. */
export function rejectPassword(reason: unknown): never {
  const problem = signInProblem(reason)
  const isUnnamed = problem instanceof ApiProblem && problem.code === `http_${problem.status}`
  // RFC 6749 §5.2 has it as a 400.
  const isRefused =
    lastStatus() === 401 || (Object(reason) as { error?: unknown }).error === 'invalid_grant'
  throw isUnnamed && isRefused ? new ApiProblem({ code: 'wrong_credentials' }, 401) : problem
}
