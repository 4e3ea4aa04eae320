import { AuthError } from '@grove/auth-client'
import { isExternalLoginError } from '@grove/auth-client/rules'
import { ApiProblem, NetworkProblem, problemOf } from '../api/problem.ts'

/** The problem of a refused sign-in call; the auth client rejects with AuthError. */
export function signInProblem(reason: unknown): unknown {
  if (reason instanceof AuthError) {
    return reason.status === undefined ? new NetworkProblem(reason) : problemOf(reason)
  }
  if (isExternalLoginError(reason)) return new ApiProblem({ code: reason.code }, 0)
  return reason
}

/** A third-party service refuses a password in its own words; all of them mean the same. */
export function rejectPassword(reason: unknown): never {
  const problem = signInProblem(reason)
  const isUnnamed = problem instanceof ApiProblem && problem.code === `http_${problem.status}`
  // RFC 6749 §5.2 uses 400.
  const isRefused =
    isUnnamed &&
    (problem.status === 401 ||
      (reason instanceof AuthError &&
        (Object(reason.body) as { error?: unknown }).error === 'invalid_grant'))
  throw isRefused ? new ApiProblem({ code: 'wrong_credentials' }, 401) : problem
}
