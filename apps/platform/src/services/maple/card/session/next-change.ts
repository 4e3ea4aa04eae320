import { once, type EventEmitter } from 'node:events'

/**
 * The next event of a name, or the end of a pause, or of `outer`. Made before the look that comes
 * first, so that what happens during the look is not missed.
 */
export function nextChange(changes: EventEmitter, name: string, outer?: AbortSignal) {
  const stop = new AbortController()
  const any = outer ? AbortSignal.any([stop.signal, outer]) : stop.signal
  const changed = once(changes, name, { signal: any }).catch(() => {})
  return {
    cancel: () => stop.abort(),
    async wait(milliseconds: number) {
      const timer = setTimeout(() => stop.abort(), milliseconds)
      await changed
      clearTimeout(timer)
    },
  }
}
