import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { isLoopbackName } from '../environment.ts'
import { ProblemError } from './problem.ts'

/**
 * The origin at which the requester opens Grove. Anyone can set `Host`, and a mailed link built from
 * it could lead a victim elsewhere: only loopback names are taken from it.
 */
export function publicOriginOf(config: Config, request: FastifyRequest): string {
  if (config.publicUrl !== undefined) return new URL(config.publicUrl).origin
  const address = `http://${request.headers.host}`
  const isOwn = URL.canParse(address) && isLoopbackName(new URL(address).hostname)
  if (!isOwn || config.isProduction || config.trustsProxy)
    throw new ProblemError(
      'console_address_unknown',
      'The console’s address is not configured. An administrator must set GROVE_CONSOLE_URL.',
    )
  return new URL(address).origin
}

/**
 * The origin of a mailed link. A local requester chooses `Host`, so its port could belong to another
 * program on this machine: the link uses our own port.
 */
export function mailOriginOf(config: Config, request: FastifyRequest): string {
  const origin = new URL(publicOriginOf(config, request))
  const { localPort } = request.socket
  if (config.publicUrl === undefined && localPort !== undefined) origin.port = String(localPort)
  return origin.origin
}

/** The same, or null if unknown: for mails that a call can do without. */
export const findMailOrigin = (config: Config, request: FastifyRequest): string | null =>
  findPublicOrigin(config, request) && mailOriginOf(config, request)

/** `publicOriginOf`, or null if unknown: for calls that work without it. */
export function findPublicOrigin(config: Config, request: FastifyRequest): string | null {
  try {
    return publicOriginOf(config, request)
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'console_address_unknown') return null
    throw error
  }
}
