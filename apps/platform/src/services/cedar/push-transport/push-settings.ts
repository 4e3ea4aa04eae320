import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  isLoopbackName,
  readInteger,
  readText,
  readUrl,
  type Environment,
} from '../../../core/environment.ts'
import { StartupError } from '../../../core/startup-error.ts'

/** A Google service account, from the JSON key file of its console. */
export interface ServiceAccount {
  projectId: string
  clientEmail: string
  /** PKCS #8 in PEM. */
  privateKey: string
  tokenUrl: string
}

interface FcmSettings {
  kind: 'fcm'
  url: string
  account: ServiceAccount
}
interface WebhookSettings {
  kind: 'webhook'
  url: string
  secret: string
}
export type PushSettings = (FcmSettings | WebhookSettings) & {
  /** Concurrent requests to the transport, in each process. */
  connections: number
}

/** @throws StartupError naming the variable. */
export function readPushSettings(env: Environment): PushSettings | null {
  // Concurrent requests to the transport of notifications.
  const connections = readInteger(env, 'GROVE_PUSH_CONNECTIONS', {
    least: 1,
    most: 500,
    fallback: 32,
  })
  const fcm = readFcm(env)
  const webhook = readWebhook(env)
  if (fcm && webhook)
    throw new StartupError(
      'Set GROVE_FCM_ACCOUNT or GROVE_PUSH_WEBHOOK_URL, not both: a notification goes through one of them.',
    )
  const chosen = fcm ?? webhook
  return chosen && { ...chosen, connections }
}

function readFcm(env: Environment): FcmSettings | null {
  // The JSON of a service account that may send messages, or the path of its file.
  const account = readText(env, 'GROVE_FCM_ACCOUNT')
  // Another server that speaks FCM v1.
  const url = readSafeUrl(env, 'GROVE_FCM_URL') ?? 'https://fcm.googleapis.com'
  return account === undefined ? null : { kind: 'fcm', url, account: readAccount(account) }
}

function readWebhook(env: Environment): WebhookSettings | null {
  // Your own server, which forwards the messages.
  const url = readSafeUrl(env, 'GROVE_PUSH_WEBHOOK_URL')
  if (url === undefined) return null
  // Signs requests to it; at least 32 characters.
  const secret = readText(env, 'GROVE_PUSH_WEBHOOK_SECRET') ?? ''
  if (secret.length < 32)
    throw new StartupError(
      'GROVE_PUSH_WEBHOOK_SECRET must have 32 characters or more: it signs requests to GROVE_PUSH_WEBHOOK_URL. Set it to the output of: openssl rand -hex 32',
    )
  return { kind: 'webhook', url, secret }
}

/** Without TLS only on this machine: it would expose people's messages and tokens. */
function readSafeUrl(env: Environment, name: string): string | undefined {
  const address = readUrl(env, name)
  if (address === undefined) return undefined
  if (!isSafe(address))
    throw new StartupError(`${name} must start with https://, unless it is on this machine.`)
  return address.replace(/\/+$/, '')
}

const isSafe = (address: string) => {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackName(hostname))
}

function readAccount(given: string): ServiceAccount {
  const wrong = (what: string) =>
    // The message does not repeat the value, which contains a private key.
    new StartupError(`GROVE_FCM_ACCOUNT ${what}.`)
  let fields: Record<string, unknown>
  try {
    fields = JSON.parse(given.startsWith('{') ? given : readFileSync(given, 'utf8'))
  } catch {
    throw wrong('is neither the JSON of a service account nor the path of a file with it')
  }
  const field = (name: string) => {
    const value = fields[name]
    if (typeof value !== 'string' || value === '') throw wrong(`has no ${name}`)
    return value
  }
  const tokenUrl = field('token_uri')
  if (!URL.canParse(tokenUrl) || !isSafe(tokenUrl))
    throw wrong('has a token_uri that does not start with https://')
  const privateKey = field('private_key')
  try {
    if (createPrivateKey(privateKey).asymmetricKeyType !== 'rsa') throw new Error('not RSA')
  } catch {
    throw wrong('has a private_key that is not an RSA key in PEM')
  }
  return {
    projectId: field('project_id'),
    clientEmail: field('client_email'),
    privateKey,
    tokenUrl,
  }
}
