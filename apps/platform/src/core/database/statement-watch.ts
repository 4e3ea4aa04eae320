import { simpleQuery } from './frontend-messages.ts'

const off = simpleQuery('set statement_timeout = 0')
const on = simpleQuery('reset statement_timeout')

/**
 * PGlite runs in one thread and cannot cancel a statement, whatever `statement_timeout` says: if one
 * takes too long, its thread is terminated, and the next query starts another. Long operations turn
 * the limit off with `set statement_timeout = 0`, as on PostgreSQL.
 */
export function watchStatements(limitMs: number, onTooLong: () => void) {
  let pending = 0
  let isLimited = true
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
  }
  const start = () => {
    stop()
    if (pending === 0 || !isLimited) return
    timer = setTimeout(onTooLong, limitMs)
    timer.unref()
  }
  return {
    sent(bytes: Uint8Array) {
      // The whole message: a parameter may contain the same text.
      if (off.equals(bytes)) isLimited = false
      else if (on.equals(bytes)) isLimited = true
      pending += 1
      if (pending === 1) start()
    },
    /** The next one starts now. */
    replied() {
      pending = Math.max(0, pending - 1)
      start()
    },
    /** The session is over, including its settings. */
    ended() {
      isLimited = true
      start()
    },
    reset() {
      pending = 0
      isLimited = true
      stop()
    },
  }
}
