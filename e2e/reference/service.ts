import { createPublicKey, verify, type JsonWebKey } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

// Shared by the reference Cedar and the reference Maple: third-party services, written from the
// specification alone. Imports nothing of Grove's.

/** The claims of an access token that the specification names. */
export interface Caller {
  userId: string
  provider: string
  roles: string[]
}

export interface Asked {
  caller: Caller
  /** The path's parameters by name. */
  params: Record<string, string>
  query: URLSearchParams
  /** The JSON of the request, or the fields of a form, with its file as a `File`. */
  body: Record<string, unknown>
}

/** Returns a list, an object, a file, or nothing. */
export type Handler = (asked: Asked) => unknown

export class Refusal extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** A style of answers: what its author assumed where the specification says nothing. */
export interface Fashion {
  /** The body of a success. */
  success: (value: unknown) => string
  /** The body of a refusal, and its media type. */
  refusal: (status: number, message: string) => { type: string; body: string }
  /** Calls that are not implemented. */
  lacks: readonly string[]
  /** Unknown query parameters, which are ignored. */
  ignores: readonly string[]
}

/** Lists in `items`, errors in JSON. */
export const specified: Fashion = {
  success: (value) => JSON.stringify(Array.isArray(value) ? { items: value } : value),
  refusal: (status, message) => ({
    type: 'application/json',
    body: JSON.stringify({ status, message }),
  }),
  lacks: [],
  ignores: [],
}

/** Bare lists, numeric ids, times without a time zone, errors in plain text, few calls and fields. */
export const oldFashioned: Fashion = {
  success: (value) => JSON.stringify(aged(value)),
  refusal: (_, message) => ({ type: 'text/plain', body: message }),
  lacks: [
    'GET /api/maple/about',
    'GET /api/maple/roles',
    'GET /api/maple/se/profiles',
    'POST /api/maple/service',
    'GET /api/notification/systemdata',
    'GET /api/notification',
    'GET /api/user/info',
    'GET /api/cedar/about',
  ],
  ignores: ['dryRun'],
}

/** Fields that are missing in its answers. */
const unsaid = new Set(['package', 'profile', 'hsm', 'state', 'images'])

const numbers = new Map<string, number>()

/** Turns every UUID into a number, and drops the time zone of every time. */
function aged(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => aged(each))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, each]) =>
        unsaid.has(key) ? [] : [[key, aged(each, key)] as const],
      ),
    )
  if (typeof value !== 'string') return value
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return value.slice(0, 19).replace('T', ' ')
  return /^(id|productId|productVersionId)$/.test(name) ? numberOf(value) : value
}

function numberOf(id: string): number | string {
  if (!/^[0-9a-f-]{36}$/.test(id)) return id
  const known = numbers.get(id) ?? numbers.size + 1001
  numbers.set(id, known)
  return known
}

/** The id behind a number. */
export const idOf = (given: string): string =>
  [...numbers].find(([, number]) => String(number) === given)?.[0] ?? given

export interface ReferenceService {
  url: string
  /** The style of its answers from now on. */
  fashion: Fashion
  /** Called instead of a handler, by call: for answers that are wrong on purpose. */
  instead: Map<string, (response: ServerResponse) => void>
  /** Every call so far, such as `GET /api/maple/device`. */
  calls: string[]
  close: () => void
}

export async function startService(
  handlers: Record<string, Handler>,
  jwksUrl: () => string,
): Promise<ReferenceService> {
  const routes = Object.entries(handlers)
    .map(([call, handler]) => {
      const [method = '', path = ''] = call.split(' ')
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`)
      return { call, method, names, pattern, handler }
    })
    .toSorted((a, b) => a.names.length - b.names.length)

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url ?? '/', 'http://reference')
    const { fashion } = service
    const refuse = (status: number, message: string) => {
      const { type, body } = fashion.refusal(status, message)
      response.writeHead(status, { 'content-type': type }).end(body)
    }
    const atPath = routes.filter(
      ({ call, pattern }) => pattern.test(url.pathname) && !fashion.lacks.includes(call),
    )
    const route = atPath.find(({ method }) => method === request.method)
    service.calls.push(route?.call ?? `${request.method} ${url.pathname}`)
    if (!route)
      return atPath.length > 0
        ? refuse(405, `Method ${request.method} not allowed`)
        : refuse(404, `Cannot ${request.method} ${url.pathname}`)
    const special = service.instead.get(route.call)
    if (special) return special(response)
    try {
      const caller = await callerOf(request.headers.authorization ?? '', jwksUrl())
      const values = route.pattern.exec(url.pathname)?.slice(1) ?? []
      const params = Object.fromEntries(
        route.names.map((name, at) => [name, idOf(decodeURIComponent(values[at] ?? ''))]),
      )
      for (const name of fashion.ignores) url.searchParams.delete(name)
      for (const [name, value] of url.searchParams) url.searchParams.set(name, idOf(value))
      const value = await route.handler({
        caller,
        params,
        query: url.searchParams,
        body: await bodyOf(request),
      })
      if (value === undefined) return response.writeHead(204).end()
      if (value instanceof File)
        return response
          .writeHead(200, {
            'content-type': 'application/zip',
            'content-disposition': `attachment; filename="${value.name}"`,
          })
          .end(Buffer.from(await value.arrayBuffer()))
      response.writeHead(200, { 'content-type': 'application/json' }).end(fashion.success(value))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refuse(error.status, error.message)
    }
  }

  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', request.headers.origin ?? '*')
    response.setHeader(
      'access-control-allow-headers',
      'authorization, content-type, api-version, if-match, grove-provider',
    )
    response.setHeader('access-control-allow-methods', 'GET, POST, PUT, DELETE')
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const service: ReferenceService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fashion: specified,
    instead: new Map(),
    calls: [],
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
  return service
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const type = request.headers['content-type'] ?? ''
  const bytes = Buffer.concat(chunks)
  if (type.startsWith('multipart/form-data')) {
    const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
    return withOwnIds(Object.fromEntries(form))
  }
  return type.startsWith('application/json') && bytes.length > 0
    ? withOwnIds(JSON.parse(bytes.toString()) as Record<string, unknown>)
    : {}
}

/** Replaces the numbers of the old style by the ids behind them. */
const withOwnIds = (body: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      typeof value === 'string' ? idOf(value) : value,
    ]),
  )

const keySets = new Map<string, Promise<{ keys: JsonWebKey[] }>>()

/** The caller, verified by the keys of the authentication service (ES256). */
async function callerOf(authorization: string, jwksUrl: string): Promise<Caller> {
  const token = /^Bearer (\S+)$/.exec(authorization)?.[1]
  if (token === undefined) throw new Refusal(401, 'Sign in first')
  const [head = '', payload = '', signature = ''] = token.split('.')
  const read = (part: string) =>
    JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
  const keySet =
    keySets.get(jwksUrl) ??
    fetch(jwksUrl).then((response) => response.json() as Promise<{ keys: JsonWebKey[] }>)
  keySets.set(jwksUrl, keySet)
  const key = (await keySet).keys.find(({ kid }) => kid === read(head)['kid'])
  const isRight =
    key !== undefined &&
    verify(
      'sha256',
      Buffer.from(`${head}.${payload}`),
      { key: createPublicKey({ key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    )
  const { sub, exp, provider, role, roles } = read(payload)
  if (!isRight || Number(exp) * 1000 < Date.now()) throw new Refusal(401, 'The token is not valid')
  return {
    userId: String(sub),
    provider: String(provider),
    roles: [roles, role].flat().filter((each) => each !== undefined) as string[],
  }
}
