import { useSyncExternalStore } from 'react'

const minute = 60_000
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** Calls back every minute; all listeners share one timer, however many rows a table has. */
export function subscribeToMinutes(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const each of listeners) each()
  }, minute)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The start of this minute, for a component that keeps counting. */
export const useMinute = () => useSyncExternalStore(subscribeToMinutes, thisMinute)

/** The start of this minute. */
export const thisMinute = (): number => Math.floor(Date.now() / minute) * minute
