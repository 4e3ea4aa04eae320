import { createVerifier } from '../session/verify-token.ts'
import { createSession } from '../session/session.ts'
import { parseToken, type Token } from '../session/token.ts'

/** The options of `check`; all but `fetch` are command-line options too. */
export interface CheckOptions {
  /** The service's base URL. */
  url: string
  /** Sent as `provider`. */
  realm: string
  /** An account to sign in with; without one, only public calls are checked. */
  email?: string
  /** The account's password. */
  password?: string
  /** Where the service publishes its keys, relative to `url`; without it no token is verified. */
  jwksUrl?: string
  /** The service's `api-version`, '1' by default. */
  apiVersion?: string
  /** The origin of the page that will use the service; `https://app.example` by default. */
  origin?: string
  /** Sends every request; default: the global `fetch`. */
  fetch?: typeof fetch
}

/** The result of one check. */
export interface Finding {
  /** Whether the service passes; `advice`: it works but could be better; `skipped`: not checked. */
  level: 'ok' | 'failed' | 'advice' | 'skipped'
  /** The call, such as `POST /api/token/refresh`. */
  call: string
  /** The finding and, if something is wrong, why it matters. */
  text: string
}

interface Answer {
  status: number
  headers: Headers
  body: unknown
}

/**
 * Calls a service as the client does, and returns what conforms to PROTOCOL.md and what does not.
 * Never rejects: a service that does not respond is a finding. Signs in once, refreshes and signs
 * out.
 */
export async function check(options: CheckOptions): Promise<Finding[]> {
  const { realm, origin = 'https://app.example', apiVersion = '1' } = options
  const base = options.url.replace(/\/+$/, '')
  const send = options.fetch ?? fetch
  const findings: Finding[] = []

  async function call(path: string, json?: object, authorization?: string): Promise<Answer> {
    const response = await send(base + path, {
      method: json ? 'POST' : 'GET',
      headers: {
        origin,
        accept: 'application/json, */*',
        'api-version': apiVersion,
        ...(json && { 'content-type': 'application/json' }),
        ...(authorization && { authorization }),
      },
      ...(json && { body: JSON.stringify(json) }),
    })
    const text = await response.text()
    const { status, headers } = response
    return { status, headers, body: parse(text) }
  }

  const add = (level: Finding['level'], name: string, text: string) =>
    void findings.push({ level, call: name, text })
  /** Adds a finding that depends on a condition. */
  const expect = (isRight: boolean, name: string, right: string, wrong: string) => {
    add(isRight ? 'ok' : 'failed', name, isRight ? right : wrong)
    return isRight
  }
  const advise = (isRight: boolean, name: string, right: string, advice: string) =>
    add(isRight ? 'ok' : 'advice', name, isRight ? right : advice)

  async function attempt(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      add('failed', name, `No answer: ${reasonOf(error)}`)
    }
  }

  await attempt('GET /api/stage/auth', async () => {
    const name = 'GET /api/stage/auth'
    const { status, body } = await call('/api/stage/auth')
    if (status === 404) return add('skipped', name, 'Not there: the service has no external login')
    if (!expect(status === 200, name, 'Answers 200', `Answered ${status}, not 200`)) return
    const { urls, realm: own } = Object(body) as { urls?: Record<string, unknown>; realm?: unknown }
    const texts = [urls?.['login'], urls?.['redirect'], urls?.['callback'], own]
    expect(
      texts.every((text) => typeof text === 'string'),
      name,
      'Has urls.login, urls.redirect, urls.callback and realm',
      'The body must have the texts urls.login, urls.redirect, urls.callback and realm',
    )
  })

  await attempt('POST /api/token/refresh', async () => {
    const name = 'POST /api/token/refresh'
    const { status } = await call('/api/token/refresh', {
      refreshToken: 'made-up',
      provider: realm,
    })
    expect(
      ends(status),
      name,
      `Refuses an unknown refresh token with ${status}: the session ends`,
      `Answered an unknown refresh token with ${status}. Only a 4xx other than 408, 425 and 429 ends the session; with anything else the client asks again for ever`,
    )
  })

  await attempt('POST /api/token/password', async () => {
    const name = 'POST /api/token/password'
    const wrong = { email: 'nobody@example.invalid', password: 'Wrong2026!', provider: realm }
    const { status, body } = await call('/api/token/password', wrong)
    expect(
      status >= 400 && status < 500,
      name,
      `Refuses a wrong password with ${status}`,
      `Answered a wrong password with ${status}; it must be a 4xx`,
    )
    advise(
      typeof body === 'object' && body !== null,
      name,
      'Refuses with a JSON body, which the caller receives',
      'A refusal without a JSON body leaves the caller without a reason',
    )
  })

  await attempt('GET /api/token/anonymous', async () => {
    const name = 'GET /api/token/anonymous'
    const { status, body } = await call('/api/token/anonymous')
    if (status >= 400 && status < 500) {
      return add('skipped', name, `Answers ${status}: the service has no anonymous tokens`)
    }
    const token = parseToken(Object(body).token)
    expect(
      status === 200 && token !== null,
      name,
      'Answers a token with tokenType and accessToken',
      `Answered ${status} without { token: { tokenType, accessToken } }`,
    )
  })

  await attempt('OPTIONS /api/token/refresh', async () => {
    const name = 'OPTIONS /api/token/refresh'
    const { status, headers } = await send(`${base}/api/token/refresh`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'api-version,authorization,content-type',
      },
    })
    const allowed = headers.get('access-control-allow-origin')
    if (allowed !== '*' && allowed !== origin) {
      const only = 'The page can only be of the same origin (CORS)'
      return add('advice', name, `Does not allow ${origin}. ${only}`)
    }
    const names = headers.get('access-control-allow-headers')?.toLowerCase() ?? ''
    // The asterisk covers every header except this one.
    const missing = ['api-version', 'authorization', 'content-type'].filter(
      (header) => !names.includes(header) && (header === 'authorization' || !names.includes('*')),
    )
    expect(
      status < 300 && missing.length === 0,
      name,
      'Lets pages of other origins send api-version, authorization and content-type',
      `Must allow the headers api-version, authorization and content-type; it allows "${names}"`,
    )
    const { headers: exposing } = await call('/api/token/refresh', { refreshToken: 'x' })
    const exposed = exposing.get('access-control-expose-headers')?.toLowerCase() ?? ''
    advise(
      exposed.includes('date') || exposed === '*',
      name,
      'Exposes Date, so that a machine with a wrong clock is corrected',
      'Without Access-Control-Expose-Headers: Date, Retry-After the client guesses the time and the pause',
    )
  })

  const { email, password } = options
  if (email === undefined || password === undefined) {
    add('skipped', 'POST /api/token/password', 'Signing in: give --email and --password')
    return findings
  }
  await attempt('POST /api/token/password', async () => {
    const token = await signIn(email, password)
    if (token) await useSession(token)
  })
  return findings

  async function signIn(email: string, password: string): Promise<Token | null> {
    const name = 'POST /api/token/password'
    const { status, body } = await call('/api/token/password', { email, password, provider: realm })
    const token = parseToken(Object(body).token)
    const isThere = expect(
      status === 200 && token !== null,
      name,
      'Signs in: the answer has token.tokenType and token.accessToken',
      `Answered ${status} without { token: { tokenType, accessToken, refreshToken } }`,
    )
    return isThere ? token : null
  }

  async function useSession(token: Token): Promise<void> {
    const name = 'POST /api/token/password'
    const session = createSession(token, { receivedAt: Date.now() })
    expect(
      !session.userId.startsWith('session '),
      name,
      `The access token names its user: ${session.userId}`,
      'The access token has none of sub, user_id, preferred_username and email: users cannot be told apart',
    )
    expect(
      session.expiresAt !== Infinity,
      name,
      `It ends in ${Math.round((session.expiresAt - Date.now()) / 1000)} seconds`,
      'The access token has no exp, so it is never valid and never refreshed',
    )
    advise(
      session.roles.length > 0,
      name,
      `It has the roles ${session.roles.join(', ')}`,
      'It has neither role nor roles: set rolesClaim if they are elsewhere',
    )
    await verify(token)
    if (!token.refreshToken) {
      return add(
        'advice',
        name,
        'There is no refresh token: the session ends with the access token',
      )
    }
    await refresh(token, token.refreshToken)
  }

  async function verify(token: Token): Promise<void> {
    const { jwksUrl } = options
    const name = `GET ${jwksUrl ?? 'the keys'}`
    if (jwksUrl === undefined) {
      return add('skipped', name, 'The signature: give --jwks, such as /.well-known/jwks.json')
    }
    const verifier = createVerifier({ jwksUrl }, { authUrl: `${base}/`, fetch: send })
    await verifier(createSession(token, { receivedAt: Date.now() }), Date.now()).then(
      () => add('ok', name, 'The access token verifies against the published keys'),
      (error: unknown) =>
        add('failed', name, `The access token does not verify: ${reasonOf(error)}`),
    )
  }

  async function refresh(first: Token, refreshToken: string): Promise<void> {
    const name = 'POST /api/token/refresh'
    const exchange = async (refreshToken: string) => {
      const answer = await call('/api/token/refresh', { refreshToken, provider: realm })
      return { status: answer.status, token: parseToken(Object(answer.body).token) }
    }
    const { status, token } = await exchange(refreshToken)
    const isRenewed = expect(
      status === 200 && token !== null,
      name,
      'Exchanges the refresh token for a new access token',
      `Answered ${status} without { token: { tokenType, accessToken } }`,
    )
    const last = { ...first, ...token }
    if (isRenewed) {
      advise(
        last.refreshToken !== refreshToken,
        name,
        'Rotates the refresh token',
        'Does not rotate the refresh token: a stolen one serves for as long as the session',
      )
    }
    const bye = await call(
      '/api/logout',
      { refreshToken: last.refreshToken, provider: realm },
      `Bearer ${last.accessToken}`,
    )
    expect(bye.status < 300, 'POST /api/logout', 'Signs out', `Answered ${bye.status}, not 2xx`)
    const after = await exchange(last.refreshToken ?? '')
    expect(
      ends(after.status),
      'POST /api/logout',
      'Ends the session: its refresh token is refused afterwards',
      `The refresh token of a session that was signed out was answered with ${after.status}`,
    )
  }
}

const ends = (status: number) => status >= 400 && status < 500 && ![408, 425, 429].includes(status)

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message} (${cause.message})` : message
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
