import { ExternalLoginError, HttpError } from '@grove/auth-client'
import { ApiProblem, NetworkProblem, problemBody } from '../api/problem.ts'
import { lastRetryAfter } from './service-fetch.ts'

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
  const status = 'status' in reason && typeof reason.status === 'number' ? reason.status : 400
  return new ApiProblem(problemBody(reason), status, lastRetryAfter())
}
