import type { FastifyRequest } from 'fastify'
import type { Config } from '../../../core/config.ts'
import { consoleOriginOf } from '../../../core/http/public-origin.ts'
import { ProblemError } from '../../../core/http/problem.ts'

/** The console's origin, or null where it is not known: for a mail that something else must not wait for. */
export function findConsoleOrigin(config: Config, request: FastifyRequest): string | null {
  try {
    return consoleOriginOf(config, request)
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'console_address_unknown') return null
    throw error
  }
}
