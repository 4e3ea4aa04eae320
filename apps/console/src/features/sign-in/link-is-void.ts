import { useEffect, useState } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import { api } from '../../session/api.ts'
import { stage } from '../../session/stage.ts'

/** Whether a mailed link was refused because it was used, is too old, or a newer one was sent. */
export const isVoidLink = (problem: unknown) =>
  problem instanceof ApiProblem &&
  (problem.code === 'invalid_email_token' || problem.fields.some(({ path }) => path === 'token'))

/** Asks whether a link still works before anything is typed. Without an answer it may. */
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
