// A minimal service for @grove/auth-client: every call of PROTOCOL.md, strict rotation, signed
// tokens. It keeps everything in memory; use it to learn, not in production. Run it with `node
// reference-server.mjs [port]`: it then knows one person, and says who.
import {
  createHash,
  generateKeyPairSync,
  randomUUID,
  scryptSync,
  sign,
  timingSafeEqual,
} from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { pathToFileURL } from 'node:url'

const LIFETIME = 300

// The cost of one password guess (the N of scrypt).
const COST = 16_384

/** @param {{ realm?: string, lifetime?: number, cost?: number }} [settings] */
export function createReferenceServer({ realm = 'grove', lifetime = LIFETIME, cost = COST } = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256', use: 'sig' }
  const users = new Map() // email → { id, salt, hash }
  const sessions = new Map() // hash of a refresh token → { user, current, hasEnded }

  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const hashOf = (text) => createHash('sha256').update(text).digest('hex')
  const passwordHash = (password, salt) => scryptSync(password, salt, 32, { cost })

  function accessToken(claims) {
    const now = Math.floor(Date.now() / 1000)
    const payload = { ...claims, provider: realm, jti: randomUUID(), iat: now, exp: now + lifetime }
    const input = `${part({ alg: 'ES256', typ: 'JWT', kid: key.kid })}.${part(payload)}`
    const signature = sign('sha256', Buffer.from(input), {
      key: privateKey,
      dsaEncoding: 'ieee-p1363',
    })
    return `${input}.${signature.toString('base64url')}`
  }

  // A refresh token works once. A second use means that it was copied, so its session ends.
  function renew(session) {
    const refreshToken = randomUUID()
    session.current = hashOf(refreshToken)
    sessions.set(session.current, session)
    const token = accessToken({ sub: session.user.id, roles: ['DEVELOPER'] })
    return [200, { token: { tokenType: 'Bearer', accessToken: token, refreshToken } }]
  }
  const begin = (user) => renew({ user, current: '', hasEnded: false })
  const refuse = (status, code, detail) => [status, { status, code, detail }]
  const text = (value) => (typeof value === 'string' ? value : '')

  const calls = {
    'POST /api/token/password': ({ body }) => {
      const user = users.get(text(body.email).toLowerCase())
      const hash = passwordHash(text(body.password), user?.salt ?? 'none')
      const isRight = user && timingSafeEqual(hash, user.hash) && body.provider === realm
      return isRight ? begin(user) : refuse(401, 'wrong_credentials', 'Wrong email or password')
    },
    'POST /api/signup': ({ body }) => {
      const email = text(body.email).toLowerCase()
      if (!email || text(body.password).length < 8)
        return refuse(400, 'invalid_request', 'Email and password, please')
      if (users.has(email)) return refuse(409, 'email_taken', 'This email has an account')
      const salt = randomUUID()
      const user = { id: randomUUID(), salt, hash: passwordHash(body.password, salt) }
      users.set(email, user)
      return begin(user)
    },
    'POST /api/token/refresh': ({ body }) => {
      const used = hashOf(text(body.refreshToken))
      const session = sessions.get(used)
      if (session && session.current !== used) session.hasEnded = true
      if (!session || session.hasEnded)
        return refuse(401, 'invalid_refresh_token', 'The session is over')
      return renew(session)
    },
    'POST /api/logout': ({ body }) => {
      const session = sessions.get(hashOf(text(body.refreshToken)))
      if (session) session.hasEnded = true
      return [204]
    },
    'GET /api/token/anonymous': () => [
      200,
      {
        token: {
          tokenType: 'Bearer',
          accessToken: accessToken({ sub: randomUUID(), role: 'ANONYMOUS' }),
        },
      },
    ],
    'GET /api/user/exists/email': ({ query }) => [
      200,
      { exists: users.has(text(query.get('email')).toLowerCase()) },
    ],
    'POST /api/send/validateEmail': () => [204],
    'GET /.well-known/jwks.json': () => [200, { keys: [key] }],
  }

  async function answer(request) {
    const url = new URL(request.url ?? '/', 'http://service')
    const call = calls[`${request.method} ${url.pathname}`]
    if (!call) return refuse(404, 'not_found', 'There is no such call')
    let sent = ''
    for await (const chunk of request) {
      sent += chunk
      if (sent.length > 10_000) return refuse(413, 'body_too_large', 'The body is too large')
    }
    try {
      return call({ query: url.searchParams, body: Object(JSON.parse(sent || '{}')) })
    } catch (error) {
      if (error instanceof SyntaxError) return refuse(400, 'malformed_json', 'The body is not JSON')
      throw error
    }
  }

  async function serve(request, response) {
    // Any origin may call: tokens are in the body and in a header, never in a cookie.
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', 'api-version, authorization, content-type')
    response.setHeader('access-control-expose-headers', 'Date, Retry-After')
    const isPublic = request.url === '/.well-known/jwks.json'
    response.setHeader('cache-control', isPublic ? 'max-age=300' : 'no-store')
    if (request.method === 'OPTIONS') return response.writeHead(204).end()
    const [status, body] = await answer(request).catch(() =>
      refuse(500, 'internal_error', 'It broke'),
    )
    response.writeHead(status, body && { 'content-type': 'application/json' })
    response.end(body && JSON.stringify(body))
  }

  return createServer((request, response) => void serve(request, response))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const server = createReferenceServer()
  await once(server.listen(Number(process.argv[2] ?? 8080), '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${server.address().port}`
  const ann = { email: 'ann@example.com', password: 'Example2026!' }
  await fetch(`${url}/api/signup`, { method: 'POST', body: JSON.stringify(ann) })
  console.log(`${url} signs in ${ann.email} with the password ${ann.password}`)
}
