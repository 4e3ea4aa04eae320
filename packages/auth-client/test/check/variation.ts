import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Server as NetServer } from 'node:net'
import { createReferenceServer } from '../../reference-server.mjs'

// The reference server with one change: tokens are signed again with a key of this file, so that a
// fault can change their claims, header and signature.

export const account = { email: 'ann@grove.test', password: 'Grove2026!' }

export interface Reply {
  status: number
  headers: Record<string, string | string[]>
  /** JSON, or a text that is sent unchanged. */
  body: unknown
}

/** A request, and the number of earlier ones. */
export interface Asked {
  method: string
  path: string
  query: URLSearchParams
  body: Record<string, unknown>
  headers: IncomingMessage['headers']
  /** How often this path was requested before, without preflights. */
  before: number
}

export interface Fault {
  claims?: (claims: Record<string, unknown>, asked: Asked) => Record<string, unknown>
  header?: (header: Record<string, unknown>) => Record<string, unknown>
  signature?: (input: string) => Buffer
  keys?: (keys: Record<string, unknown>[]) => unknown
  /** Changes the request to the reference server. */
  asks?: (asked: Asked) => void
  /** Changes the answer; `hang` and `close` prevent one. */
  replies?: (reply: Reply, asked: Asked) => Partial<Reply> | 'hang' | 'close' | undefined
}

const pairs = {
  one: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  other: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
}

export const jwkOf = (name: keyof typeof pairs, kid = 'one') => ({
  ...pairs[name].publicKey.export({ format: 'jwk' }),
  kid,
  alg: 'ES256',
  use: 'sig',
})
export const privateJwk = () => ({
  ...jwkOf('one'),
  ...pairs.one.privateKey.export({ format: 'jwk' }),
})

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

const signed = (input: string, key: KeyObject, dsaEncoding: 'der' | 'ieee-p1363') =>
  sign('sha256', Buffer.from(input), { key, dsaEncoding })

export const derSignature = (input: string) => signed(input, pairs.one.privateKey, 'der')
export const hashSignature = (input: string) => createHash('sha256').update(input).digest()

function mint(accessToken: string, fault: Fault, asked: Asked): string {
  const [head = '', payload = ''] = accessToken.split('.')
  const read = (text: string) =>
    JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>
  const claims = fault.claims?.(read(payload), asked) ?? read(payload)
  const header = fault.header?.(read(head)) ?? read(head)
  const input = `${part(header)}.${part(claims)}`
  const signature = fault.signature?.(input) ?? signed(input, pairs.one.privateKey, 'ieee-p1363')
  return `${input}.${signature.toString('base64url')}`
}

let shared: Promise<{ server: Server; port: number }> | undefined

/** One reference server for all variations. */
function reference() {
  shared ??= (async () => {
    // Tests sign in often, so its password hash is made cheap.
    const server = createReferenceServer({ cost: 2 })
    const port = await listen(server)
    await ask(port, { method: 'POST', path: '/api/signup' }, account)
    return { server, port }
  })()
  return shared
}

export async function closeReference() {
  const { server } = await reference()
  server.closeAllConnections()
  server.close()
}

export async function listen(server: NetServer): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

function ask(port: number, { method, path }: { method: string; path: string }, body?: unknown) {
  return new Promise<Reply>((resolve, reject) => {
    const sent = httpRequest({ port, host: '127.0.0.1', method, path }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      response.on('end', () => {
        const headers = { ...response.headers } as Reply['headers']
        for (const name of ['connection', 'keep-alive', 'transfer-encoding', 'content-length'])
          delete headers[name]
        const json: unknown = text === '' ? '' : JSON.parse(text)
        resolve({ status: response.statusCode ?? 0, headers, body: json })
      })
    })
    sent.on('error', reject)
    sent.end(typeof body === 'string' ? body : body && JSON.stringify(body))
  })
}

/** Starts a service with this fault. */
export async function startVariation(fault: Fault) {
  const { port } = await reference()
  const counts = new Map<string, number>()

  async function serve(request: IncomingMessage, response: ServerResponse) {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += String(chunk)
    const url = new URL(request.url ?? '/', 'http://service')
    const method = request.method ?? ''
    const key = `${method === 'OPTIONS' ? 'OPTIONS ' : ''}${url.pathname}`
    const before = counts.get(key) ?? 0
    counts.set(key, before + 1)
    const isJson = text.startsWith('{')
    const isBroken = text === '{'
    const body = (
      isJson && !isBroken ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text))
    ) as Asked['body']
    const { headers } = request
    const asked = { method, path: url.pathname, query: url.searchParams, body, headers, before }
    fault.asks?.(asked)
    const path = `${asked.path}${asked.query.size > 0 ? `?${asked.query}` : ''}`
    const sent = isBroken ? text : isJson ? asked.body : undefined
    const reply = await ask(port, { method, path }, sent)
    const { token, keys } = Object(reply.body) as {
      token?: { accessToken: string }
      keys?: unknown
    }
    if (token) token.accessToken = mint(token.accessToken, fault, asked)
    if (keys) reply.body = fault.keys?.([jwkOf('one')]) ?? { keys: [jwkOf('one')] }
    const changed = fault.replies?.(reply, asked)
    if (changed === 'hang') return
    if (changed === 'close') return request.socket.destroy()
    const { status, headers: answered, body: answer } = { ...reply, ...changed }
    response.sendDate = false
    response.writeHead(status, answered)
    if (answer === '') response.end()
    else response.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  }

  const server = createServer((request, response) => void serve(request, response))
  const own = await listen(server)
  return {
    url: `http://127.0.0.1:${own}`,
    counts,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
