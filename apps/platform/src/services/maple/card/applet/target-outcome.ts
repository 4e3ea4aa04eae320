import type { AppletFinding } from '@grove/contract/maple/card/applet-operation'
import type { TargetState } from '@grove/contract/maple/card/applet-operation.rules'
import { mismatchParams } from '@grove/contract/maple/card/key.rules'
import { CommandError } from '@grove/secure-element/host/command-error'
import { statusWord } from '@grove/secure-element/status-word'
import { ProblemError } from '../../../../core/http/problem.ts'
import { SessionError } from '../session/session-error.ts'
import { finding } from './plan-operation.ts'

/** The outcome of an operation on one element. */
export interface TargetResult {
  state: TargetState
  findings: AppletFinding[]
}

export const refusedBy = (...findings: AppletFinding[]): TargetResult => ({
  state: 'refused',
  findings,
})

/** Session codes after which the card's state is unknown. */
const uncertain = new Set<string>(['transport_failed', 'power_lost', 'channel_broken', 'internal'])

/** The meaning of an error; if the card's state is unknown, the step at which it was lost. */
export function outcomeOf(error: unknown, step: string): TargetResult | { lostAt: string } {
  if (error instanceof ProblemError) {
    if (error.code === 'lease_held') return refusedBy(finding('refused', 'session_busy'))
    if (error.code === 'transport_missing') return refusedBy(finding('refused', 'no_route'))
    if (error.code === 'key_missing') return refusedBy(finding('refused', 'no_keys'))
    if (error.code === 'element_blocked') return refusedBy(finding('refused', 'element_blocked'))
    if (error.code === 'element_terminated')
      return refusedBy(finding('refused', 'element_terminated'))
    return refusedBy(finding('refused', 'unexpected', { reason: error.message }))
  }
  if (error instanceof SessionError) {
    if (error.code === 'wrong_keys')
      return {
        state: 'failed',
        findings: [
          finding('refused', 'wrong_keys', error.mismatch && mismatchParams(error.mismatch)),
        ],
      }
    if (error.code === 'element_blocked') return refusedBy(finding('refused', 'element_blocked'))
    if (uncertain.has(error.code)) return { lostAt: step }
    return {
      state: 'failed',
      findings: [finding('refused', 'unexpected', { reason: error.message })],
    }
  }
  if (error instanceof CommandError) return { state: 'failed', findings: [refusalOf(error, step)] }
  throw error
}

export const refusalOf = (
  { message, statusWord: word }: CommandError,
  step: string,
): AppletFinding => {
  if (word === undefined) return finding('refused', 'unexpected', { reason: message })
  const { code: status, name } = statusWord(word)
  return finding('refused', 'card_refused', { step, status, name })
}
