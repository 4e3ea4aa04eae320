const off = Buffer.from('set statement_timeout = 0')
const on = Buffer.from('reset statement_timeout')
// Longer than either with what the protocol puts around it.
const shortBytes = 200

/**
 * PGlite runs in one thread and cannot stop a statement by itself, whatever `statement_timeout` says:
 * when one takes too long, its thread is ended, and the next query starts another. Work that may take
 * its time turns the limit off with `set statement_timeout = 0`, as on PostgreSQL.
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
      if (bytes.length < shortBytes) {
        const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
        if (text.includes(off)) isLimited = false
        if (text.includes(on)) isLimited = true
      }
      pending += 1
      if (pending === 1) start()
    },
    /** The next one runs from now on. */
    replied() {
      pending = Math.max(0, pending - 1)
      start()
    },
    /** The session is over, and its settings with it. */
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
