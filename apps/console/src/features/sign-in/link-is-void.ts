import { useEffect, useState } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import { api } from '../../session/api.ts'
import { stage } from '../../session/stage.ts'

/** Whether a mailed link was refused because it was used, has expired or was superseded. */
export const isVoidLink = (problem: unknown) =>
  problem instanceof ApiProblem &&
  (problem.code === 'invalid_email_token' || problem.fields.some(({ path }) => path === 'token'))

/**
 * Checks whether a link is still valid before anything is typed. Without an answer, it counts as
 * valid.
 */
export function useVoidLink(purpose: 'validate' | 'reset', token: string | undefined) {
  const [isVoid, setVoid] = useState(false)
  useEffect(() => {
    if (token === undefined) return
    let isCurrent = true
    const body = { token, purpose, provider: stage.default.auth_api_provider }
    api.auth.post('/api/user/checkEmailToken', { body }).catch((problem: unknown) => {
      if (isCurrent && isVoidLink(problem)) setVoid(true)
    })
    return () => {
      isCurrent = false
    }
  }, [purpose, token])
  return isVoid
}
