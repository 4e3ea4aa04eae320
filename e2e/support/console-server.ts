import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { contentSecurityPolicy } from '../../apps/platform/src/services/console/content-security-policy.ts'
import { stageConfiguration } from '../../apps/platform/src/services/console/stage.ts'

const dist = fileURLToPath(new URL('../../apps/console/dist/', import.meta.url))
const types: Record<string, string> = { js: 'text/javascript', css: 'text/css' }
const realm = 'grove'

/** The values for `api-version` that the stage passes to the console. */
export const apiVersions = { auth: '1', cedar: '1', maple: '1' } as const

/**
 * Serves the built console on an origin of its own, under the platform's content security policy.
 * `answer` gets every request that is neither for a file nor for a page.
 */
export async function serveConsole(answer: RequestListener) {
  const stage = stageConfiguration(
    { stage: 'local', addresses: { auth_api_provider: realm } },
    apiVersions,
  )
  const open = async (name: string) => {
    const html = await readFile(dist + name, 'utf8').catch(() => {
      throw new Error('The console is not built: node scripts/build.mjs.')
    })
    const page = html.replace('<!--stage-->', () => JSON.stringify({ ...stage, auth_jwks: keys }))
    return { page, policy: contentSecurityPolicy(stage, html) }
  }
  const [any, signIn] = await Promise.all([open('index.html'), open('login.html')])
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://console').pathname
    if (path.startsWith('/assets/')) return void sendFile(path, response)
    if (/^\/(api|\.well-known)\//.test(path)) return answer(request, response)
    const { page, policy } = path === '/login' ? signIn : any
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
    })
    // A page without scripts, on which a test fills the console's storage.
    response.end(path === '/empty' ? '' : page)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const files = new Map<string, Promise<Buffer>>()

/** Cached by the browser: names of built files contain a hash of their content. */
async function sendFile(path: string, response: ServerResponse) {
  const file = files.get(path) ?? readFile(dist + path)
  files.set(path, file)
  const type = types[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
  try {
    const content = await file
    response.writeHead(200, { 'content-type': type, 'cache-control': 'max-age=86400, immutable' })
    response.end(content)
  } catch {
    response.writeHead(404).end()
  }
}

const kid = randomUUID()
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
/** Verifies the tokens of `signToken`. */
export const keys = {
  keys: [{ kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig' }],
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** An access token like the authentication service's, valid for ten minutes; overrides make it differ. */
export function signToken(
  { id, roles }: { id: string; roles: readonly string[] },
  { header, claims }: { header?: object; claims?: object } = {},
): string {
  const iat = Math.floor(Date.now() / 1000)
  const own = { iss: realm, aud: realm, provider: realm, roles, sub: id, jti: randomUUID() }
  const head = encode({ alg: 'ES256', typ: 'at+jwt', kid, ...header })
  const text = `${head}.${encode({ ...own, iat, exp: iat + 600, ...claims })}`
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
}

/** The console's storage for someone who has just signed in. */
export function sessionOf(person: { id: string; roles: readonly string[] }) {
  const name = `grove.auth/local/${realm}`
  const record = {
    tokenType: 'Bearer',
    accessToken: signToken(person),
    refreshToken: randomUUID(),
    receivedAt: Date.now(),
    skew: 0,
    userId: person.id,
  }
  return [
    { name: `${name}/current`, value: `${name}/user/${person.id}` },
    { name: `${name}/user/${person.id}`, value: JSON.stringify(record) },
  ]
}
