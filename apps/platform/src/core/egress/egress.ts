import { Agent, request as send, type Dispatcher } from 'undici'
import { checkedConnector, ordinaryPorts } from './checked-connector.ts'
import { EgressError } from './egress-error.ts'
import type { EgressSettings } from './egress-settings.ts'
import { readAnswer } from './read-answer.ts'
import { nameResolver, type Resolve } from './resolve-name.ts'

export interface EgressRequest {
  url: string
  method?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
  /** Headers that are never sent to another origin, and that require TLS. */
  credentials?: Readonly<Record<string, string>> | undefined
  body?: string | undefined
}

export interface EgressAnswer {
  status: number
  headers: Record<string, string>
  /** The final URL, after redirects. */
  url: string
  body: string
}

export interface EgressRules {
  /** Names such as `api.example.com`, or `*.example.com` for all subdomains. */
  hosts: readonly string[]
  /** Requests in total, not counting redirects. */
  calls: number
  /** Of all responses, decoded. */
  bytes: number
  /** For one request including its redirects. */
  milliseconds: number
  signal?: AbortSignal | undefined
}

/** The requests of one program. */
export interface EgressCalls {
  /** @throws EgressError */
  fetch: (request: EgressRequest) => Promise<EgressAnswer>
  count: () => number
}

/** Requests of developers' programs: to allowed hosts on the public internet. */
export interface Egress {
  open: (rules: EgressRules) => EgressCalls
  close: () => Promise<void>
}

const maxRedirects = 3
const maxBodyLength = 256 * 1024
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Headers that frame the message or belong to the connection. */
const ownHeaders =
  /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|accept-encoding|proxy-.*)$/i
const secretHeaders = /^(authorization|cookie)$/i

export function openEgress(settings: EgressSettings, resolve: Resolve = nameResolver()): Egress {
  const agent = new Agent({
    connect: checkedConnector(settings, resolve),
    // Per origin in this process.
    connections: 16,
    keepAliveTimeout: 10_000,
  })
  const ports = new Set([...ordinaryPorts, ...settings.allowed.map(({ port }) => port)])

  return {
    open(rules) {
      let calls = 0
      let bytes = 0
      return {
        count: () => calls,
        async fetch(request) {
          if (calls >= rules.calls)
            throw new EgressError('too_many_calls', `There are at most ${rules.calls} requests.`)
          calls += 1
          const late = AbortSignal.timeout(rules.milliseconds)
          const signal = rules.signal ? AbortSignal.any([late, rules.signal]) : late
          try {
            const { answer, body } = await follow(request, {
              rules,
              signal,
              left: () => rules.bytes - bytes,
            })
            bytes += body.length
            return { ...answer, body: body.toString() }
          } catch (error) {
            throw failureOf(error, late, rules)
          }
        },
      }
    },
    close: () => agent.destroy(),
  }

  async function follow(
    request: EgressRequest,
    { rules, signal, left }: { rules: EgressRules; signal: AbortSignal; left: () => number },
  ) {
    let { method, headers, credentials, body } = partsOf(request)
    let url = urlOf(request.url)
    for (let hop = 0; ; hop += 1) {
      checkUrl(url, rules.hosts)
      if (Object.keys(credentials).length > 0) checkTls(url)
      const response = await send(url, {
        dispatcher: agent,
        method,
        headers: { 'user-agent': 'Grove', ...headers, ...credentials },
        body: body ?? null,
        signal,
        headersTimeout: rules.milliseconds,
        bodyTimeout: rules.milliseconds,
      })
      const found = headersOf(response.headers)
      const next = redirectOf(response.statusCode, found['location'], url)
      if (next === undefined) {
        const bytes = await readAnswer(response.body, {
          encoding: method === 'HEAD' ? '' : (found['content-encoding'] ?? ''),
          most: left(),
          signal,
        })
        return {
          answer: { status: response.statusCode, headers: found, url: url.href },
          body: bytes,
        }
      }
      // Its body is useless, and may be endless.
      response.body.on('error', () => {}).destroy()
      if (hop === maxRedirects)
        throw new EgressError(
          'too_many_redirects',
          `There are more than ${maxRedirects} redirects.`,
        )
      if (next.origin !== url.origin) {
        credentials = {}
        headers = withoutSecrets(headers)
      }
      // Fetch standard, "HTTP-redirect fetch".
      if (
        (response.statusCode === 303 && method !== 'HEAD') ||
        (response.statusCode <= 302 && method === 'POST')
      ) {
        method = 'GET'
        body = undefined
      }
      url = next
    }
  }

  function checkUrl(
    { protocol, hostname, port, username, password }: URL,
    hosts: readonly string[],
  ) {
    if (protocol !== 'http:' && protocol !== 'https:')
      throw new EgressError('bad_request', 'An address begins with https:// or http://.')
    if (username !== '' || password !== '')
      throw new EgressError('bad_request', 'An address holds no user name or password.')
    if (!hosts.some((host) => isHost(hostname, host)))
      throw new EgressError('host_refused', `${hostname} is not among the allowed hosts.`)
    if (!ports.has(portOf({ protocol, port })))
      throw new EgressError('host_refused', `Port ${port} may not be reached; 80 and 443 may.`)
  }

  /**
   * A port in the settings may belong to the operator's own network, where TLS is the operator's
   * choice.
   */
  function checkTls({ protocol, port }: URL) {
    if (protocol === 'https:' || !ordinaryPorts.includes(portOf({ protocol, port }))) return
    throw new EgressError('bad_request', 'Secrets are sent over https:// alone.')
  }
}

const portOf = ({ protocol, port }: Pick<URL, 'protocol' | 'port'>) =>
  Number(port) || (protocol === 'https:' ? 443 : 80)

function isHost(hostname: string, allowed: string): boolean {
  const name = hostname.replace(/\.$/, '')
  return allowed.startsWith('*.') ? name.endsWith(allowed.slice(1)) : name === allowed
}

function urlOf(text: string): URL {
  if (!URL.canParse(text))
    throw new EgressError('bad_request', `“${text.slice(0, 200)}” is not an address.`)
  return new URL(text)
}

function partsOf({ method: given = 'GET', headers = {}, credentials = {}, body }: EgressRequest) {
  const method = methods.find((each) => each === given.toUpperCase())
  if (!method) throw new EgressError('bad_request', `The method is one of: ${methods.join(', ')}.`)
  for (const [name, value] of Object.entries({ ...headers, ...credentials })) {
    // RFC 9110 §5.1 and §5.5.
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new EgressError('bad_request', `“${name.slice(0, 100)}” cannot be sent as a header.`)
    if (ownHeaders.test(name))
      throw new EgressError('bad_request', `The header ${name} is set by the platform.`)
  }
  if (body !== undefined && Buffer.byteLength(body) > maxBodyLength)
    throw new EgressError('too_large', `A body has at most ${maxBodyLength} bytes.`)
  return { method, headers, credentials, body }
}

const withoutSecrets = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !secretHeaders.test(name)))

const headersOf = (headers: Dispatcher.ResponseData['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  )

function redirectOf(status: number, location: string | undefined, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined
  if (!URL.canParse(location, from))
    throw new EgressError('bad_request', 'The answer leads to something that is not an address.')
  return new URL(location, from)
}

/** Messages of other failures may contain a URL or a header. */
function failureOf(
  error: unknown,
  late: AbortSignal,
  { signal, milliseconds }: EgressRules,
): Error {
  if (error instanceof EgressError) return error
  if (signal?.aborted) return new EgressError('timeout', 'The run ended before the answer.')
  const { code } = Object(error) as { code?: unknown }
  if (late.aborted || /TIMEOUT/.test(String(code)))
    return new EgressError('timeout', `There was no whole answer within ${milliseconds} ms.`, {
      cause: error,
    })
  const reason = typeof code === 'string' ? ` (${code})` : ''
  return new EgressError('unreachable', `The host does not answer${reason}.`, { cause: error })
}
