import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { ProblemError } from './problem.ts'

/**
 * Refuses requests that a page elsewhere triggers in a visitor's browser: it cannot read the
 * response, but would use up the limit of the visitor's network. Browsers send the header, and pages
 * cannot forge it.
 */
export function refuseCrossSite(
  { headers }: FastifyRequest,
  { allowedOrigins }: Pick<Config, 'allowedOrigins'>,
): void {
  if (headers['sec-fetch-site'] !== 'cross-site') return
  if (allowedOrigins.includes(headers.origin ?? '')) return
  throw new ProblemError('forbidden', 'A page of another site cannot make this call.')
}
