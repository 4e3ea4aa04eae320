import type { RanCommand } from '@grove/contract/maple/card/session'
import { useRef, useState } from 'react'
import { ApiProblem } from '../../../../../api/problem.ts'

/** Why something was not sent, or had no definite outcome. */
export type SendFailure = { error: unknown } | { ran: RanCommand }

/**
 * Sends one command at a time. Its ID ensures that repeating a request after a lost answer does not
 * send the command twice.
 */
export function useSend() {
  const isLocked = useRef(false)
  const pending = useRef<string>(undefined)
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState<SendFailure>()

  /** The card's response; undefined if there was none. */
  const send = async (
    request: (id: string) => Promise<RanCommand>,
  ): Promise<RanCommand | undefined> => {
    // A ref, since two clicks in one frame both see the state of the previous frame.
    if (isLocked.current) return undefined
    isLocked.current = true
    setSending(true)
    setProblem(undefined)
    pending.current ??= crypto.randomUUID()
    try {
      const ran = await request(pending.current)
      pending.current = undefined
      if (ran.state !== 'done') setProblem({ ran })
      return ran.state === 'done' ? ran : undefined
    } catch (error) {
      // The service has refused. If its answer was lost, the same ID asks for the outcome.
      if (error instanceof ApiProblem && error.status < 500) pending.current = undefined
      setProblem({ error })
      return undefined
    } finally {
      isLocked.current = false
      setSending(false)
    }
  }
  return {
    send,
    isSending,
    problem,
    /** The input has changed, so it is a different command. */
    forget: () => {
      pending.current = undefined
      setProblem(undefined)
    },
  }
}
