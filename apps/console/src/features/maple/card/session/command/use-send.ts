import type { RanCommand } from '@grove/contract/maple/card/session'
import { useRef, useState } from 'react'
import { ApiProblem } from '../../../../../api/problem.ts'

/** Why something was not sent, or came to no certain end. */
export type SendFailure = { error: unknown } | { ran: RanCommand }

/**
 * Sends one command at a time. Its id makes sure that a request that is repeated after a lost answer
 * sends nothing twice.
 */
export function useSend() {
  const isLocked = useRef(false)
  const pending = useRef<string>(undefined)
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState<SendFailure>()

  /** What the card answered; undefined for what came to no answer. */
  const send = async (
    request: (id: string) => Promise<RanCommand>,
  ): Promise<RanCommand | undefined> => {
    // A ref, since two presses in one frame both see the state of the frame before.
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
      // The service has said no. Where its answer was lost, the same id asks what became of it.
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
    /** What was typed has changed: it is another command. */
    forget: () => {
      pending.current = undefined
      setProblem(undefined)
    },
  }
}
