import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { isLoopbackName } from '../environment.ts'
import { StartupError } from '../startup-error.ts'
import { ProblemError } from './problem.ts'

// Cluster probes, a metrics collector and the backup command use the machine's IP address.
const probes = /^\/(healthz|readyz|metrics|backup)(\?|$)/

/**
 * Accepts only requests for a name of this server. A page elsewhere can point its own name at this
 * machine (DNS rebinding) and would then share our origin: while the server is local, its accounts
 * have a public password.
 */
export function installHostCheck(app: FastifyInstance, config: Config): void {
  requireNames(config)
  app.addHook('onRequest', async (request) => {
    if (hasTwoHosts(request.raw.rawHeaders))
      throw new ProblemError('invalid_request', 'The request has more than one Host header.')
    if (probes.test(request.url)) return
    const refusal = hostRefusal(request, config)
    if (refusal !== undefined) throw new ProblemError('unknown_host', refusal)
  })
}

/** @throws StartupError in production if the server's own names are unknown. */
export function requireNames({ isProduction, hosts }: Config): void {
  if (isProduction && hosts.length === 0)
    throw new StartupError(
      'GROVE_ENV=production needs the names that this server is reached by. Set GROVE_CONSOLE_URL, such as https://grove.example.com, or GROVE_HOSTS, such as grove.example.com.',
    )
}

type Headers = Pick<FastifyRequest, 'headers'> & { rawHeaders?: readonly string[] }

/**
 * RFC 9112 §3.2: a proxy may use another of several Host headers than we do. Node silently keeps the
 * first.
 */
export const hasTwoHosts = (rawHeaders: readonly string[]): boolean =>
  rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length > 1

/** Why a request is not for this server; WebSockets are refused for the same reasons. */
export const hostRefusal = (request: Headers, config: Config): string | undefined =>
  hasTwoHosts(request.rawHeaders ?? [])
    ? 'The request has more than one Host header.'
    : config.isLocal
      ? refuseOthers(request)
      : refuseUnknown(request, config)

function refuseOthers({ headers }: Headers): string | undefined {
  if (!isLoopbackName(hostName(headers.host) ?? ''))
    return 'This server answers on this machine only, as 127.0.0.1 or localhost. To serve another name, set GROVE_HOST or GROVE_TRUST_PROXY.'
  if (forwarding.some((name) => headers[name] !== undefined))
    return 'This request came through a proxy, and this server answers on this machine only. To serve others, set GROVE_TRUST_PROXY=on.'
  return undefined
}

function refuseUnknown({ headers }: Headers, { hosts }: Config): string | undefined {
  // If no name is configured, outside production, any is valid.
  if (hosts.length === 0 || hosts.includes(hostName(headers.host) ?? '')) return undefined
  return 'This server has another name. Use the configured address, or add this name to GROVE_HOSTS.'
}

/** Forwarding headers of proxies. */
export const forwarding = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

/**
 * The name in a `Host` header without its port. `X-Forwarded-Host` is ignored: a page that shares our
 * origin could send it.
 */
export function hostName(header: string | undefined): string | undefined {
  const name = /^(\[[\da-f:.]+\]|[a-z\d._-]+)(?::\d{1,5})?$/i.exec(header ?? '')?.[1]
  return name?.toLowerCase()
}
