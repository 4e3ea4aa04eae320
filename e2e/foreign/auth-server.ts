import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { record, type RecordedRequest } from './recorder.ts'
import { createTokenMint, type ForeignUser } from './tokens.ts'

// A third-party authentication service, written from the specification alone: without our additions,
// with its own shape of errors and tokens, and with single-use refresh tokens.

const realm = 'acme'
const paths = {
  login: `/realms/${realm}/protocol/openid-connect/auth`,
  keys: `/realms/${realm}/protocol/openid-connect/certs`,
  callback: '/broker/callback',
}

const ordinary = {
  /** Lifetime of access tokens in seconds. */
  lifetime: 300,
  /** Whether it is not responding at all. */
  isDown: false,
}

interface ForeignSession {
  id: string
  user: ForeignUser
  refreshToken: string
  hasEnded: boolean
}

type Answer = [status: number, body?: unknown]

export type ForeignServer = Awaited<ReturnType<typeof startForeignServer>>

export async function startForeignServer() {
  const users: ForeignUser[] = []
  const sessions = new Map<string, ForeignSession>()
  const codes = new Map<string, { user: ForeignUser; redirectUri: string }>()
  const requests: RecordedRequest[] = []
  /** Sign-in URLs that were opened, as the browser sent them. */
  const logins: Record<string, string>[] = []
  /** The page of the console that receives the code; as configured at the service. */
  const settings = { ...ordinary, redirect: '' }
  let origin = ''
  const mint = createTokenMint(() => `${origin}/realms/${realm}`, realm)

  function add(email: string, password: string, roles: string[]): ForeignUser {
    const user = { id: randomUUID(), email, password, roles }
    users.push(user)
    return user
  }

  function renew(session: ForeignSession): Answer {
    session.refreshToken = mint.refresh(session.user, session.id)
    // A second one within the same second would be identical.
    session.refreshToken += `~${randomUUID()}`
    sessions.set(session.refreshToken, session)
    const accessToken = mint.access(session.user, session.id, settings.lifetime)
    return [
      200,
      { token: { tokenType: 'Bearer', accessToken, refreshToken: session.refreshToken } },
    ]
  }

  const begin = (user: ForeignUser) =>
    renew({ id: randomUUID(), user, refreshToken: '', hasEnded: false })

  const login = () => ({
    urls: {
      login: origin + paths.login,
      redirect: settings.redirect,
      callback: origin + paths.callback,
    },
    realm,
  })

  function answer({ method, path, query, body }: RecordedRequest): Answer {
    const text = (name: string) => {
      const value = body?.[name]
      return typeof value === 'string' ? value : ''
    }
    const isOurs = (provider: unknown) => provider === realm
    switch (`${method} ${path}`) {
      case 'GET /api/stage/auth':
      case 'GET /api/info/global':
        return [200, login()]
      case 'GET /api/info':
        return isOurs(query['provider']) ? [200, login()] : refused('unknown_realm')
      case 'POST /api/token/password': {
        const user = users.find(({ email }) => email === text('email'))
        const isRight = user?.password === text('password') && isOurs(body?.['provider'])
        return user && isRight
          ? begin(user)
          : [401, { error: 'invalid_grant', error_description: 'Invalid user credentials' }]
      }
      case 'POST /api/signup':
        return users.some(({ email }) => email === text('email'))
          ? [409, { errorMessage: 'User exists with same email' }]
          : begin(add(text('email'), text('password'), ['DEVELOPER']))
      case 'POST /api/token/refresh': {
        const session = sessions.get(text('refreshToken'))
        if (!session || session.hasEnded) return refused('invalid_grant')
        if (session.refreshToken !== text('refreshToken')) {
          // It was used twice: someone else may have it, so the session is not safe.
          session.hasEnded = true
          return refused('invalid_grant')
        }
        return renew(session)
      }
      case 'POST /api/logout': {
        const session = sessions.get(text('refreshToken'))
        if (session) session.hasEnded = true
        return [204]
      }
      case 'GET /api/token/anonymous':
        return [
          200,
          { token: { tokenType: 'Bearer', accessToken: mint.access(null, randomUUID(), 300) } },
        ]
      case 'POST /api/send/validateEmail':
        return [200]
      case 'GET /api/user/exists/email':
        return [200, users.some(({ email }) => email === query['email'])]
      case `POST ${paths.callback}`: {
        const code = codes.get(text('Code'))
        codes.delete(text('Code'))
        const isRight = code?.redirectUri === text('RedirectUrl') && isOurs(body?.['Provider'])
        return code && isRight ? begin(code.user) : refused('invalid_code')
      }
      default:
        return [404, { error: 'Unable to find matching target resource method' }]
    }
  }

  /** The page on which a person chooses an account; redirects back with a code. */
  function openLogin(query: Record<string, string>, response: ServerResponse): void {
    const back = new URL(query['redirect_uri'] ?? '')
    const give = (values: Record<string, string>) => {
      const url = new URL(back)
      for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value)
      return url.href.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
    }
    const state = query['state'] ?? ''
    const links = users.map((user) => {
      const code = randomUUID()
      codes.set(code, { user, redirectUri: back.href })
      const iss = `${origin}/realms/${realm}`
      const href = give({ state, session_state: randomUUID(), iss, code })
      return `<li><a href="${href}">${user.email}</a></li>`
    })
    const cancel = give({ state, error: 'access_denied', error_description: 'User cancelled' })
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(
        `<!doctype html><title>Acme</title><h1>Sign in to Acme</h1><ul>${links.join('')}</ul><a href="${cancel}">Cancel</a>`,
      )
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (settings.isDown) return void request.socket.destroy()
    response.setHeader('access-control-allow-origin', '*')
    if (request.method === 'OPTIONS') {
      response
        .writeHead(204, {
          'access-control-allow-methods': 'GET, POST',
          'access-control-allow-headers': 'api-version, authorization, content-type',
          'access-control-max-age': '600',
        })
        .end()
      return
    }
    const recorded = await record(request).catch(() => null)
    if (recorded === null) return send(response, refused('invalid_request'))
    if (recorded.path === paths.keys) return send(response, [200, mint.jwks()])
    if (recorded.path === paths.login) {
      logins.push(recorded.query)
      return openLogin(recorded.query, response)
    }
    // Sent by the browser itself for the login page.
    if (recorded.path === '/favicon.ico') return send(response, [404, {}])
    requests.push(recorded)
    send(response, answer(recorded))
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    origin,
    realm,
    issuer: `${origin}/realms/${realm}`,
    jwksUrl: origin + paths.keys,
    callbackPath: paths.callback,
    settings,
    requests,
    logins,
    add,
    requestsTo: (path: string) => requests.filter((request) => request.path === path),
    endAllSessions() {
      for (const session of sessions.values()) session.hasEnded = true
    },
    /** Resets everything: no sessions, no recorded requests. */
    reset() {
      for (const list of [users, requests, logins]) list.length = 0
      sessions.clear()
      codes.clear()
      Object.assign(settings, ordinary)
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const refused = (error: string): Answer => [400, { error, error_description: 'Refused' }]

function send(response: ServerResponse, [status, body]: Answer): void {
  const isEmpty = body === undefined
  response.writeHead(status, isEmpty ? {} : { 'content-type': 'application/json' })
  response.end(isEmpty ? undefined : JSON.stringify(body))
}
