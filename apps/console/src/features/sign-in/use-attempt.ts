import { useRef, useState } from 'react'
import { signInProblem } from '../../session/sign-in-problem.ts'

/** One attempt at a time: the one in progress, and why the last one failed. */
export function useAttempt() {
  const isRunning = useRef(false)
  const [running, setRunning] = useState<string>()
  const [problem, setProblem] = useState<unknown>()

  const attempt = async (name: string, task: () => Promise<void>) => {
    if (isRunning.current) return
    isRunning.current = true
    setRunning(name)
    setProblem(undefined)
    try {
      await task()
    } catch (reason) {
      setProblem(signInProblem(reason))
    } finally {
      isRunning.current = false
      setRunning(undefined)
    }
  }
  return { attempt, running, problem, setProblem }
}
