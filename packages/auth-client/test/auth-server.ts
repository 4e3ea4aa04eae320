import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHash, randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'

// A small authentication service with strict rotation: a refresh token works once, and a second use
// ends the whole session. There is no grace period unless a test sets one, so every duplicate refresh
// shows.

export interface RecordedCall {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: unknown
}

type Fault = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

interface Family {
  userId: string
  current: string
  access: string
  ended: boolean
  /** The last refresh token exchanged, and its result. */
  last?: { used: string; at: number; answer: unknown }
}

export type AuthServer = Awaited<ReturnType<typeof startAuthServer>>

const OPEN_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*, authorization',
  'access-control-allow-methods': '*',
}

export async function startAuthServer() {
  const keys = await generateKeyPair('ES256', { extractable: true })
  const publicKey = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }
  const families = new Map<string, Family>()
  const faults = new Map<string, Fault[]>()
  const calls: RecordedCall[] = []
  /** Static files by path: content type and text. */
  const files = new Map<string, [string, string]>()
  const settings = {
    lifetime: 600,
    /** Seconds that the service's clock is ahead of this machine's. */
    ahead: 0,
    roles: ['DEVELOPER'],
    withIssuedAt: true,
    /** Whether a client can read the service's clock: browsers hide it from another origin. */
    withDate: true,
    /** Seconds in which the last used refresh token gets the same response again. */
    grace: 0,
    /** Fields of the external-login info beyond `urls` and `realm`. */
    announced: {} as Record<string, unknown>,
  }
  const codes = new Map<string, URLSearchParams>()
  const seconds = () => Math.floor(Date.now() / 1000) + settings.ahead

  const sign = (claims: Record<string, unknown>, header: Record<string, unknown> = {}) => {
    const token = new SignJWT({ provider: 'grove', ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'JWT', ...header })
      .setIssuer('https://auth.test')
      .setAudience('grove')
      .setExpirationTime(seconds() + settings.lifetime)
      .setJti(randomUUID())
    if (settings.withIssuedAt) token.setIssuedAt(seconds())
    return token.sign(keys.privateKey)
  }

  async function issue(family: Family) {
    family.current = randomUUID()
    family.access = await sign({ sub: family.userId, roles: settings.roles })
    families.set(family.current, family)
    return {
      token: {
        tokenType: 'Bearer',
        accessToken: family.access,
        refreshToken: family.current,
      },
    }
  }

  const begin = (userId: string) => issue({ userId, current: '', access: '', ended: false })

  async function route(call: RecordedCall): Promise<[number, unknown]> {
    const body = call.body as Record<string, string> | undefined
    switch (`${call.method} ${call.path}`) {
      case 'POST /api/token/password':
        if (body?.['password'] !== 'Grove2026!') return [401, problem('wrong_credentials')]
        return [200, await begin(`user-${body['email']}`)]
      case 'POST /api/signup':
        return [200, await begin(`user-${body?.['email']}`)]
      case 'POST /api/token/refresh': {
        const family = families.get(body?.['refreshToken'] ?? '')
        const { last } = family ?? {}
        const isSoon = last && Date.now() < last.at + settings.grace * 1000
        if (isSoon && !family?.ended && last.used === body?.['refreshToken']) {
          return [200, last.answer]
        }
        if (family && family.current !== body?.['refreshToken']) family.ended = true
        if (!family || family.ended) return [401, problem('invalid_refresh_token')]
        const answer = await issue(family)
        family.last = { used: body?.['refreshToken'] ?? '', at: Date.now(), answer }
        return [200, answer]
      }
      case 'POST /api/logout': {
        const family = families.get(body?.['refreshToken'] ?? '')
        if (family) family.ended = true
        return [204, undefined]
      }
      case 'GET /api/token/anonymous':
        return [200, { token: { tokenType: 'Bearer', accessToken: await sign({}) } }]
      case 'GET /api/user/exists/email':
        return [200, { exists: call.query.get('email') === 'known@grove.test' }]
      case 'GET /api/stage/auth':
      case 'GET /api/info':
      case 'GET /api/info/global':
        return [200, loginInfo()]
      case 'POST /api/send/validateEmail':
        return [204, undefined]
      case 'POST /broker/callback':
        return exchange(body ?? {})
      case 'GET /.well-known/jwks.json':
        return [200, { keys: [publicKey] }]
      default:
        return guard(call)
    }
  }

  const loginInfo = () => ({
    urls: {
      login: `${url()}/provider/authorize?kept=1`,
      redirect: 'https://console.test/login/callback',
      callback: `${url()}/broker/callback`,
    },
    realm: 'grove',
    ...settings.announced,
  })

  // A code works once, for the redirect URL that it was issued for, and with PKCE only for its
  // verifier.
  async function exchange(form: Record<string, string>): Promise<[number, unknown]> {
    const asked = codes.get(form['Code'] ?? '')
    codes.delete(form['Code'] ?? '')
    const challenge = createHash('sha256')
      .update(form['CodeVerifier'] ?? '')
      .digest('base64url')
    const isRight =
      form['Provider'] === 'grove' &&
      asked !== undefined &&
      form['RedirectUrl'] === asked.get('redirect_uri') &&
      (asked.get('code_challenge') ?? challenge) === challenge
    return isRight ? [200, await begin('user-external')] : [401, problem('external_sign_in_failed')]
  }

  async function guard(call: RecordedCall): Promise<[number, unknown]> {
    const bearer = call.headers.authorization?.replace('Bearer ', '') ?? ''
    const live = [...families.values()].some((family) => family.access === bearer && !family.ended)
    const currentDate = new Date(seconds() * 1000)
    const verified = await jwtVerify(bearer, keys.publicKey, { currentDate }).catch(() => null)
    if (!live || !verified) return [401, problem('unauthorized')]
    return [200, { path: call.path, body: call.body }]
  }

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const url = new URL(request.url ?? '/', 'http://server')
    if (request.method === 'OPTIONS') return response.writeHead(204, OPEN_HEADERS).end()
    const file = files.get(url.pathname)
    if (file) return response.writeHead(200, { 'content-type': file[0] }).end(file[1])
    const text = Buffer.concat(chunks).toString()
    const call: RecordedCall = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: parse(text, request.headers['content-type']),
    }
    calls.push(call)
    const fault = faults.get(call.path)?.shift()
    if (fault) {
      await fault(request, response)
      if (response.writableEnded || response.destroyed) return
    }
    const [status, body] = await route(call)
    response.sendDate = false
    if (settings.withDate) response.setHeader('date', new Date(seconds() * 1000).toUTCString())
    response.writeHead(status, { 'content-type': 'application/json', ...OPEN_HEADERS })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  }

  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    url: url(),
    settings,
    calls,
    files,
    publicKey,
    sign,
    /** The number of calls to a path so far. */
    callsTo: (path: string) => calls.filter((call) => call.path === path),
    /** Faults of the next calls to a path, one each. */
    fail(path: string, ...next: Fault[]) {
      faults.set(path, [...(faults.get(path) ?? []), ...next])
    },
    /** Signs a person in at the provider: returns the URL that it redirects to. */
    authorize(login: string, answer: Record<string, string> = { code: randomUUID() }) {
      const asked = new URL(login).searchParams
      if (answer['code']) codes.set(answer['code'], asked)
      const back = new URL(asked.get('redirect_uri') ?? '')
      const query = { state: asked.get('state') ?? '', ...answer }
      for (const [name, value] of Object.entries(query)) back.searchParams.set(name, value)
      return back.href
    },
    /** Ends every session on the server only. */
    endAllSessions() {
      for (const family of families.values()) family.ended = true
    },
    /** Invalidates every access token issued so far; refresh tokens still work. */
    forgetAccessTokens() {
      for (const family of families.values()) family.access = ''
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function parse(text: string, type = ''): unknown {
  try {
    if (type.includes('json') && text) return JSON.parse(text)
  } catch {
    return text
  }
  return type.includes('urlencoded') ? Object.fromEntries(new URLSearchParams(text)) : text
}

function problem(code: string) {
  return { type: 'about:blank', title: code, status: 401, code, requestId: 'r' }
}

/** Responds with this status and body. */
export const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Fault =>
  (_, response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(status, {
      'content-type': typeof body === 'string' ? 'text/html' : 'application/json',
      ...OPEN_HEADERS,
      ...headers,
    })
    response.end(text)
  }

/** Drops the connection without a response. */
export const drop: Fault = (_, response) => void response.destroy()

/** Processes the call and drops the connection before responding, like a service that is killed. */
export const dropAnswer: Fault = (_, response) => {
  response.end = () => response.destroy()
}

/** Responds normally, but only after `release` is called. */
export function hold(): { fault: Fault; reached: Promise<void>; release: () => void } {
  let release = () => {}
  let reach = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const reached = new Promise<void>((resolve) => (reach = resolve))
  const fault = async () => {
    reach()
    await released
  }
  return { fault, reached, release: () => release() }
}
