import type { FastifyRequest } from 'fastify'
import { isLoopbackName, type Config } from '../config.ts'
import { ProblemError } from './problem.ts'

/**
 * The console's origin as the person who asks reaches it. `Host` is anyone's word, and a link in a
 * mail made from it would lead a victim elsewhere: only a loopback name is taken from there.
 */
export function consoleOriginOf(config: Config, request: FastifyRequest): string {
  if (config.consoleUrl !== undefined) return new URL(config.consoleUrl).origin
  const address = `http://${request.headers.host}`
  const isOwn = URL.canParse(address) && isLoopbackName(new URL(address).hostname)
  if (!isOwn || config.isProduction || config.trustsProxy)
    throw new ProblemError(
      'console_address_unknown',
      'The console’s address is not known here. An administrator must set GROVE_CONSOLE_URL.',
    )
  return new URL(address).origin
}

/** The same, or null where it is not known: for what must not wait for it. */
export function findConsoleOrigin(config: Config, request: FastifyRequest): string | null {
  try {
    return consoleOriginOf(config, request)
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'console_address_unknown') return null
    throw error
  }
}
