import { once, type EventEmitter } from 'node:events'

/**
 * Resolves at the next event of a name, at the end of a pause, or of `outer`. Created before the
 * first read, so that changes during it are not missed.
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
