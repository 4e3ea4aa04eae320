import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { OpenIdProvider } from '../../settings.ts'

export const clientSecret = 'the secret of the hostile provider’s client'
export const clientId = 'grove-at-hostile'

/** An OpenID provider whose behaviour a test controls. */
export interface HostileProvider {
  issuer: string
  provider: OpenIdProvider
  /** Number of requests, by path. */
  requests: Map<string, number>
  /** Correct behaviour, until a test changes it. */
  behaviour: Behaviour
  /** A well-formed ID token with some claims changed, signed by the published key. */
  idToken: (claims?: JWTPayload, header?: object) => Promise<string>
  /** A key that the provider has not published. */
  foreignKey: CryptoKey
  /** Correct behaviour again. */
  reset: () => void
  close: () => Promise<void>
}

interface Behaviour {
  metadata: Record<string, unknown>
  /** The response of the token endpoint, or a handler that replaces it. */
  token: () => Promise<unknown>
  userInfo: Record<string, unknown>
  /** Replaces an endpoint, by its path. */
  instead: Record<string, (response: ServerResponse) => void>
}

export async function startHostileProvider(id = 'hostile'): Promise<HostileProvider> {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const foreign = await generateKeyPair('RS256', { extractable: true })
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'published', use: 'sig' }] }
  const requests = new Map<string, number>()

  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.set(path, (requests.get(path) ?? 0) + 1)
    request.resume()
    const { instead, metadata, token, userInfo } = hostile.behaviour
    const takeOver = instead[path]
    if (takeOver) return takeOver(response)
    const answer = async (): Promise<unknown> => {
      if (path === '/.well-known/openid-configuration') return { ...honestMetadata(), ...metadata }
      if (path === '/jwks') return jwks
      return path === '/token' ? token() : userInfo
    }
    void answer().then((body) => sendJson(response, body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const honestMetadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/userinfo`,
  })

  const idToken: HostileProvider['idToken'] = (claims, header) => {
    const now = Math.floor(Date.now() / 1000)
    return new SignJWT({
      iss: issuer,
      aud: clientId,
      sub: 'somebody',
      nonce: 'nonce',
      iat: now,
      exp: now + 300,
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'published', ...header })
      .sign(privateKey)
  }

  const honest = (): Behaviour => ({
    metadata: {},
    token: async () => tokenAnswer(await idToken()),
    userInfo: { sub: 'somebody', name: 'Some Body' },
    instead: {},
  })

  const hostile: HostileProvider = {
    issuer,
    provider: {
      id,
      name: 'Hostile',
      issuer,
      clientId,
      clientSecret,
      role: 'CUSTOMER',
    },
    requests,
    behaviour: honest(),
    idToken,
    foreignKey: foreign.privateKey,
    reset: () => {
      hostile.behaviour = honest()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return hostile
}

export const tokenAnswer = (idToken: string | undefined) => ({
  access_token: 'access',
  token_type: 'Bearer',
  expires_in: 300,
  id_token: idToken,
})

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
