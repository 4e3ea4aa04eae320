import type { Calls } from '@grove/contract/calls'
import type { ResponseOf } from '@grove/contract/call'
import { useEffect, useState } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import { api } from '../../session/api.ts'
import { stage } from '../../session/stage.ts'

export type Offer = ResponseOf<Calls['POST /api/user/checkInvitation']>

const voidCodes = [
  'invalid_email_token',
  'invitation_accepted',
  'invitation_withdrawn',
  'invitation_ended',
  'account_exists',
] as const
export type VoidReason = (typeof voidCodes)[number] | 'missing'

/** Why an invitation link no longer works; undefined for any other problem. */
export function voidReason(problem: unknown): VoidReason | undefined {
  if (!(problem instanceof ApiProblem)) return undefined
  // A token that never existed, such as a truncated one.
  if (problem.fields.some(({ path }) => path === 'token')) return 'invalid_email_token'
  return voidCodes.find((code) => code === problem.code)
}

/** What the link offers. */
export function useInvitation(token: string | undefined) {
  const [answer, setAnswer] = useState<{ offer?: Offer; problem?: unknown }>()
  useEffect(() => {
    if (token === undefined) return
    let isCurrent = true
    const take = (given: { offer?: Offer; problem?: unknown }) => isCurrent && setAnswer(given)
    api.auth
      .post('/api/user/checkInvitation', {
        body: { token, provider: stage.default.auth_api_provider },
      })
      .then(
        (offer) => take({ offer }),
        (problem: unknown) => take({ problem }),
      )
    return () => {
      isCurrent = false
    }
  }, [token])
  return { ...answer, isAsked: answer !== undefined }
}
