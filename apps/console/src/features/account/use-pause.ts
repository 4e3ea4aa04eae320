import { useEffect, useRef, useState } from 'react'

/** Seconds until something can be repeated, counting down. */
export function usePause() {
  const until = useRef(0)
  const [seconds, setSeconds] = useState(0)
  const isPaused = seconds > 0

  useEffect(() => {
    if (!isPaused) return
    // By the clock: timers are slow in a background tab.
    const count = () => setSeconds(Math.max(0, Math.ceil((until.current - Date.now()) / 1000)))
    const timer = setInterval(count, 1000)
    return () => clearInterval(timer)
  }, [isPaused])

  const pause = (length: number) => {
    until.current = Date.now() + length * 1000
    setSeconds(length)
  }
  return { seconds, pause }
}
