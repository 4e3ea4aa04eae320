import { useRef, useState } from 'react'
import { useAttempt } from './use-attempt.ts'

/** Runs one thing at a time, and shows why if it fails. */
export function useWork() {
  const attempt = useAttempt()
  const [isBusy, setBusy] = useState(false)
  // Two clicks in one frame see the same state.
  const lock = useRef(false)
  const start = async (work: () => Promise<unknown>) => {
    if (lock.current) return
    lock.current = true
    setBusy(true)
    await attempt(work)
    lock.current = false
    setBusy(false)
  }
  return { isBusy, start }
}
