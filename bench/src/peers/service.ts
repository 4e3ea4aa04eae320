import { generateKeyPair, SignJWT } from 'jose'
import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** Lifetime of an access token in seconds: longer than every client's refresh margin. */
export const lifetime = 600

interface Family {
  /** The last refresh token. */
  refresh: string
  access: string
  expiresAt: number
  isEnded: boolean
  /** The refresh token used last, and when. */
  used?: { token: string; at: number; renewed: Promise<Family> }
}

interface Body {
  grant_type?: string
  code?: string
  code_verifier?: string
  refresh_token?: string
  refreshToken?: string
}

type Answer = [status: number, body: object, location?: string]

/** An answer outside the protocol. */
export interface BrokenAnswer {
  status: number
  type: string
  body: string
}

const badGateway: BrokenAnswer = {
  status: 502,
  type: 'text/html',
  body: '<html><title>502 Bad Gateway</title></html>',
}

export type PeerService = Awaited<ReturnType<typeof startPeerService>>

/**
 * One origin that speaks each client's protocol and serves its page: the token calls of Grove and of
 * Supabase, and OpenID Connect with the paths of Auth0, of Keycloak and of discovery. It rotates
 * strictly: a refresh token works once, and a second use ends the session.
 */
export async function startPeerService(pages: ReadonlyMap<string, string>) {
  const { privateKey } = await generateKeyPair('RS256')
  const families = new Map<string, Family>()
  const issued = new Map<string, { family: Family; expiresAt: number }>()
  const logins = new Map<string, URLSearchParams>()
  const state = {
    /** Milliseconds that the service's clock is ahead of this machine's. */
    ahead: 0,
    refreshes: 0,
    /** Visits to the provider's sign-in page. */
    logins: 0,
    /** Delay of a refresh response in milliseconds. */
    delay: 0,
    /**
     * Grace period in milliseconds, in which the last used refresh token gets the same answer again.
     */
    grace: 0,
    /** Until then, a proxy in front of the service answers refreshes with `broken`. */
    brokenUntil: 0,
    broken: badGateway,
    signOuts: 0,
    /** What a page reported after it returned from the back-forward cache. */
    restored: undefined as string | undefined,
  }
  const now = () => Date.now() + state.ahead

  const sign = (claims: object, seconds: number) =>
    new SignJWT({ ...claims, jti: randomUUID() })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: 'one' })
      .setSubject('ann')
      .setIssuedAt(Math.floor(now() / 1000))
      .setExpirationTime(Math.floor(now() / 1000) + seconds)
      .sign(privateKey)

  async function issue(family: Family): Promise<Family> {
    family.access = await sign({ provider: 'bench', roles: ['DEVELOPER'] }, lifetime)
    // Keycloak's is a JWT, and its client parses it.
    family.refresh = await sign({ typ: 'Refresh' }, 30 * 86_400)
    family.expiresAt = now() + lifetime * 1000
    families.set(family.refresh, family)
    issued.set(family.access, { family, expiresAt: family.expiresAt })
    return family
  }
  const begin = () => issue({ refresh: '', access: '', expiresAt: 0, isEnded: false })

  /** The family with new tokens; null if the refresh token is not the current one. */
  async function rotate(used = ''): Promise<Family | null> {
    const family = families.get(used)
    if (!family || family.isEnded) return null
    const isAgain = family.used?.token === used && Date.now() < family.used.at + state.grace
    if (isAgain && family.used) return family.used.renewed
    // Compared with both: the next token does not exist yet while it is being signed.
    if (family.refresh !== used || family.used?.token === used) {
      family.isEnded = true
      return null
    }
    const renewed = issue(family)
    family.used = { token: used, at: Date.now(), renewed }
    return renewed
  }

  async function refresh(used: string | undefined): Promise<Family | 'broken' | null> {
    state.refreshes += 1
    if (Date.now() < state.brokenUntil) return 'broken'
    const family = await rotate(used)
    if (state.delay > 0) await wait(state.delay)
    return family
  }

  const inGrovesWords = ({ access, refresh }: Family): Answer => [
    200,
    { token: { tokenType: 'Bearer', accessToken: access, refreshToken: refresh } },
  ]
  const inSupabasesWords = ({ access, refresh, expiresAt }: Family): Answer => [
    200,
    {
      access_token: access,
      refresh_token: refresh,
      token_type: 'bearer',
      expires_in: lifetime,
      expires_at: Math.floor(expiresAt / 1000),
      user: { id: 'ann', aud: 'authenticated', email: 'ann@example.com' },
    },
  ]
  const inWordsOfOpenId = async (family: Family, nonce?: string | null): Promise<Answer> => [
    200,
    {
      access_token: family.access,
      refresh_token: family.refresh,
      // Ten hours, Auth0's default.
      id_token: await sign({ iss: `${origin()}/`, aud: 'bench', ...(nonce && { nonce }) }, 36_000),
      token_type: 'Bearer',
      expires_in: lifetime,
      scope: 'openid profile offline_access',
    },
  ]

  async function openIdToken(body: Body): Promise<Answer | 'broken'> {
    if (body.grant_type === 'refresh_token') {
      const family = await refresh(body.refresh_token)
      if (family === 'broken') return family
      return family ? inWordsOfOpenId(family) : [400, { error: 'invalid_grant' }]
    }
    const asked = logins.get(body.code ?? '')
    logins.delete(body.code ?? '')
    const verifier = createHash('sha256').update(body.code_verifier ?? '')
    if (!asked || asked.get('code_challenge') !== verifier.digest('base64url'))
      return [400, { error: 'invalid_grant' }]
    return inWordsOfOpenId(await begin(), asked.get('nonce'))
  }

  /** The person is signed in at the provider, so it redirects immediately. */
  function authorize(query: URLSearchParams): Answer {
    state.logins += 1
    const code = randomUUID()
    logins.set(code, query)
    const answer = new URLSearchParams({ code, state: query.get('state') ?? '' })
    const mark = query.get('response_mode') === 'fragment' ? '#' : '?'
    return [302, {}, `${query.get('redirect_uri')}${mark}${answer}`]
  }

  /** Ends every session, as there is one person. */
  function signOut(): Answer {
    state.signOuts += 1
    for (const family of families.values()) family.isEnded = true
    return [200, {}]
  }

  async function route(
    key: string,
    query: URLSearchParams,
    body: Body,
  ): Promise<Answer | 'broken'> {
    switch (key) {
      case 'POST /api/token/password':
        return inGrovesWords(await begin())
      case 'POST /api/token/refresh': {
        const family = await refresh(body.refreshToken)
        if (family === 'broken') return family
        return family ? inGrovesWords(family) : [401, { code: 'invalid_refresh_token' }]
      }
      case 'POST /supabase/token': {
        if (query.get('grant_type') === 'password') return inSupabasesWords(await begin())
        const family = await refresh(body.refresh_token)
        if (family === 'broken') return family
        const refused = { code: 400, error_code: 'refresh_token_already_used', msg: 'Already used' }
        return family ? inSupabasesWords(family) : [400, refused]
      }
      case 'GET /oidc/.well-known/openid-configuration':
        return [
          200,
          {
            issuer: `${origin()}/`,
            authorization_endpoint: `${origin()}/authorize`,
            token_endpoint: `${origin()}/oauth/token`,
            end_session_endpoint: `${origin()}/logout`,
          },
        ]
      case 'GET /authorize':
      case 'GET /realms/bench/protocol/openid-connect/auth':
        return authorize(query)
      case 'POST /api/logout':
      case 'POST /supabase/logout':
      case 'GET /logout':
      case 'GET /v2/logout':
      case 'GET /realms/bench/protocol/openid-connect/logout':
        return signOut()
      case 'POST /restored':
        state.restored = query.get('answer') ?? ''
        return [200, {}]
      case 'POST /oauth/token':
      case 'POST /realms/bench/protocol/openid-connect/token':
        return openIdToken(body)
      default:
        return [404, {}]
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const url = new URL(request.url ?? '/', origin())
    response.sendDate = false
    response.setHeader('date', new Date(now()).toUTCString())
    // A sandboxed frame has the origin "null", for which every URL is cross-origin.
    response.setHeader('access-control-allow-origin', request.headers.origin ?? '*')
    response.setHeader('access-control-allow-credentials', 'true')
    response.setHeader('access-control-expose-headers', 'date')
    if (request.method === 'OPTIONS') {
      const asked = request.headers['access-control-request-headers'] ?? ''
      return response.writeHead(204, { 'access-control-allow-headers': asked }).end()
    }
    const page = pages.get(url.pathname)
    if (page !== undefined) {
      const type = url.pathname.endsWith('.js') ? 'text/javascript' : 'text/html'
      return response.writeHead(200, { 'content-type': type }).end(page)
    }
    const text = Buffer.concat(chunks).toString()
    const isJson = request.headers['content-type']?.includes('json') && text !== ''
    const body = (isJson ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text))) as Body
    const answer = await route(`${request.method} ${url.pathname}`, url.searchParams, body)
    if (answer === 'broken') {
      const { status, type, body } = state.broken
      return response.writeHead(status, { 'content-type': type }).end(body)
    }
    const [status, content, location] = answer
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(location && { location }),
    })
    response.end(JSON.stringify(content))
  }

  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    origin: origin(),
    state,
    /** Whether an API would accept this token now. */
    accepts(access: string | null): boolean {
      const token = issued.get(access ?? '')
      return token !== undefined && !token.family.isEnded && now() < token.expiresAt
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
