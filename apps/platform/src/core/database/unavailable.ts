/** The embedded database stopped: its thread ended, or it could not be reopened. */
export class DatabaseLostError extends Error {
  override readonly name = 'DatabaseLostError'
  readonly code = 'DATABASE_LOST'

  static from(error: unknown): Error {
    if (error instanceof DatabaseLostError) return error
    return new DatabaseLostError(error instanceof Error ? error.message : String(error), {
      cause: error,
    })
  }
}

const network = new Set([
  'DATABASE_LOST',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/**
 * Classes and codes of https://www.postgresql.org/docs/current/errcodes-appendix.html: connection
 * exception, read-only server (a former primary), insufficient resources, statement timeout, shutdown
 * and startup, I/O error, and a transaction rolled back in favour of another.
 */
const unavailable = /^(08...|25006|53...|57014|57P0[1-3]|58030|40001|40P01)$/

/** `pg` has no code for its own failures. */
const clientFailure =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed and is not queryable|Query read timeout)/

/** True if the same call may succeed later: the answer is 503 with Retry-After. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return syscall === 'connect' // a unix socket that is gone
  if (code !== undefined) return network.has(code) || unavailable.test(code)
  return clientFailure.test(error.message)
}

export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  if (code === 'DATABASE_LOST') return /No space left on device/.test(error.message)
  return code === '53100' || code === 'ENOSPC' || code === 'EDQUOT'
}
