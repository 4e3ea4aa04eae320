import { generateKeyPairSync, randomUUID, createPublicKey } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { jwtVerify } from 'jose'

/** A message as FCM receives it. */
export interface Received {
  token: string
  notification: { title: string; body: string }
  data: Record<string, string>
}

type Reply = (response: ServerResponse) => void

export interface FcmServer {
  url: string
  /** For `GROVE_FCM_ACCOUNT`. */
  account: string
  /** The accepted messages, in order. */
  received: Received[]
  /** Every request for a message, accepted or not. */
  requests: () => number
  exchanges: () => number
  /** Overrides the response to a message; undefined accepts it. */
  onMessage: (message: Received, count: number) => Reply | undefined
  /** Invalidates the access tokens issued so far. */
  revokeTokens: () => void
  stop: () => Promise<void>
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const publicPem = publicKey.export({ type: 'spki', format: 'pem' })

const project = 'grove-test'
const clientEmail = 'sender@grove-test.example'
const reserved = /^(from|message_type|google.*|gcm.*)$/

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body))

/** An error in the format of Google's APIs. */
export const fcmError = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
  detail: object = {
    '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError',
    errorCode: code,
  },
): Reply =>
  json(status, { error: { code: status, message: code, status: code, details: [detail] } }, headers)

export const invalidToken = fcmError(
  400,
  'INVALID_ARGUMENT',
  {},
  {
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: [{ field: 'message.token', description: 'Invalid registration token' }],
  },
)

/**
 * A server that speaks FCM v1 and the token exchange of a service account, and is as strict as FCM:
 * it verifies the JWT and every field of a message.
 */
export async function startFcmServer(): Promise<FcmServer> {
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: Error) =>
      json(418, { error: { message: error.message } })(response),
    )
  })
  let tokens = new Set<string>()
  let [requests, exchanges] = [0, 0]

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts).toString()
    if (request.method !== 'POST') return json(405, {})(response)
    if (request.url === '/token') return exchange(body, response)
    if (request.url !== `/v1/projects/${project}/messages:send`)
      return json(404, 'no page')(response)
    requests += 1
    if (!tokens.has((request.headers.authorization ?? '').replace('Bearer ', '')))
      return fcmError(401, 'UNAUTHENTICATED')(response)
    if (request.headers['content-type'] !== 'application/json')
      return fcmError(400, 'INVALID_ARGUMENT')(response)
    const message = checked(body)
    if (typeof message === 'string')
      return fcmError(400, 'INVALID_ARGUMENT', { why: message })(response)
    const reply = self.onMessage(message, requests)
    if (reply) return reply(response)
    self.received.push(message)
    json(200, { name: `projects/${project}/messages/${randomUUID()}` })(response)
  }

  async function exchange(body: string, response: ServerResponse): Promise<void> {
    exchanges += 1
    const form = new URLSearchParams(body)
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
      return json(400, { error: 'unsupported_grant_type' })(response)
    const { payload } = await jwtVerify(form.get('assertion') ?? '', createPublicKey(publicPem), {
      algorithms: ['RS256'],
      issuer: clientEmail,
      audience: `${self.url}/token`,
      requiredClaims: ['iat', 'exp', 'scope'],
    })
    const { iat = 0, exp = 0 } = payload
    if (exp - iat > 3600) return json(400, { error: 'invalid_grant' })(response)
    if (payload['scope'] !== 'https://www.googleapis.com/auth/firebase.messaging')
      return json(400, { error: 'invalid_scope' })(response)
    const token = `ya29.${randomUUID()}`
    tokens.add(token)
    json(200, { access_token: token, expires_in: 3599, token_type: 'Bearer' })(response)
  }

  const self: FcmServer = {
    url: '',
    account: '',
    received: [],
    requests: () => requests,
    exchanges: () => exchanges,
    onMessage: () => undefined,
    revokeTokens: () => {
      tokens = new Set()
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  self.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  self.account = JSON.stringify({
    type: 'service_account',
    project_id: project,
    client_email: clientEmail,
    private_key: pem,
    token_uri: `${self.url}/token`,
  })
  return self
}

/** The message in a body, or what FCM would reject in it. */
function checked(body: string): Received | string {
  const { message, ...others } = JSON.parse(body) as { message: Received & Record<string, unknown> }
  if (Object.keys(others).length > 0) return 'unknown field beside message'
  const known = ['token', 'notification', 'data', 'android', 'apns', 'webpush']
  const unknown = Object.keys(message).find((name) => !known.includes(name))
  if (unknown) return `unknown field ${unknown}`
  const { token, notification, data, ...platforms } = message
  if (typeof token !== 'string' || token === '') return 'no token'
  if (typeof notification.title !== 'string' || typeof notification.body !== 'string')
    return 'no texts'
  for (const [key, value] of Object.entries(data)) {
    if (reserved.test(key)) return `reserved key ${key}`
    if (typeof value !== 'string') return `${key} is no text`
  }
  if (Buffer.byteLength(JSON.stringify({ notification, data, ...platforms })) > 4096)
    return 'message too big'
  return { token, notification, data }
}
