import { readInteger, readText, type Environment } from '../environment.ts'
import { StartupError } from '../startup-error.ts'

/** NATS servers with JetStream, and the limits of the stream. */
export interface StreamAddress {
  /** `host:port` of each. */
  servers: readonly string[]
  isTls: boolean
  credentials: { user: string; pass: string } | { token: string } | undefined
  /** The number of servers that must have a message before it counts as stored. */
  replicas: number
  maxBytes: number
}

const address = /^(nats|tls):\/\/(?:([^@/]*)@)?([^@/?#]+)\/?$/
const host = /^(\[[\da-fA-F:]+\]|[^:]+)(:\d+)?$/

/** @throws StartupError that names the variable. */
export function readStreamAddress(env: Environment): StreamAddress | undefined {
  const [replicas, gigabytes] = [
    readInteger(env, 'GROVE_NATS_REPLICAS', { least: 1, most: 5, fallback: 1 }),
    // Beyond this size, messages of devices are refused until there is room.
    readInteger(env, 'GROVE_NATS_GB', { least: 1, most: 100_000, fallback: 4 }),
  ]
  // `nats://user:password@one:4222,two:4222`, or `tls://…`.
  const value = readText(env, 'NATS_URL')
  if (value === undefined) return undefined
  const [, scheme, account, hosts = ''] = address.exec(value) ?? []
  const servers = hosts.split(',')
  // The message does not repeat the value, which may contain a password.
  if (!servers.every((each) => host.test(each)))
    throw new StartupError(
      'NATS_URL is not an address such as nats://user:password@one.internal:4222,two.internal:4222, or the same with tls://.',
    )
  return {
    servers,
    isTls: scheme === 'tls',
    credentials: readAccount(account),
    replicas,
    maxBytes: gigabytes * 1024 ** 3,
  }
}

function readAccount(account: string | undefined): StreamAddress['credentials'] {
  if (account === undefined) return undefined
  const [user = '', ...rest] = account.split(':').map(decodeURIComponent)
  return rest.length === 0 ? { token: user } : { user, pass: rest.join(':') }
}
