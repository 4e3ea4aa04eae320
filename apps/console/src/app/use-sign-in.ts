import { useRouter } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { signInProblem } from './sign-in-problem.ts'

/** Sends one sign-in or sign-up at a time, then returns to the remembered visit. */
export function useSignIn(
  send: (body: Record<string, unknown>) => Promise<boolean>,
  from?: string,
) {
  const router = useRouter()
  const isRunning = useRef(false)
  const [isSubmitting, setSubmitting] = useState(false)
  const [problem, setProblem] = useState<unknown>()

  const submit = async (body: Record<string, unknown>) => {
    if (isRunning.current) return
    isRunning.current = true
    setSubmitting(true)
    setProblem(undefined)
    try {
      // False: the service answered without a token.
      if (!(await send(body))) throw new Error('No token in the answer')
      router.history.replace(from ?? '/dashboard')
    } catch (reason) {
      setProblem(signInProblem(reason))
    } finally {
      isRunning.current = false
      setSubmitting(false)
    }
  }
  return { submit, isSubmitting, problem }
}
