import { callbackify } from 'node:util'
import { Client, type ClientConfig } from 'pg'
import { StartupError } from '../startup-error.ts'

/** Which of a database's servers connections go to. */
export type Side = 'primary' | 'replica'

const sides: Readonly<Record<Side, readonly string[]>> = {
  primary: ['read-write', 'primary'],
  replica: ['read-only', 'standby', 'prefer-standby', 'any'],
}

/** A search tries all hosts at once and takes the first suitable one. */
const searchMs = 2000

/**
 * The addresses in a URL that names several hosts in libpq's format, such as
 * `postgres://grove@one,two:5433/grove?target_session_attrs=read-write`.
 * @throws StartupError for a `target_session_attrs` that asks for the other side.
 */
export function addressesOf(url: string, side: Side = 'primary'): string[] {
  const [, before = '', hosts = '', after = ''] =
    /^(\w+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  const wanted = /[?&]target_session_attrs=([\w-]*)/.exec(after)?.[1]
  if (wanted !== undefined && !sides[side].includes(wanted))
    throw new StartupError(
      `target_session_attrs=${wanted} in the address of the ${side} must be ${sides[side].join(' or ')}, or be left out.`,
    )
  const rest = after.replace(/target_session_attrs=[\w-]*&?/, '').replace(/[?&]$/, '')
  return hosts.split(',').map((host) => before + host + rest)
}

/** As `one:5432, two:5433/database`, without names and passwords. */
export function describeHosts(url: string): string {
  const addresses = addressesOf(url).map((address) => new URL(address))
  const hosts = addresses.map(({ hostname, port }) => `${hostname}:${port || 5432}`)
  return hosts.join(', ') + (addresses[0]?.pathname ?? '')
}

/**
 * The client class for the URL: `pg`'s own for a single host. With several hosts it connects to the
 * one that is on the given side now, so after a failover each new connection finds the new primary.
 * After a failed connection the next one searches again.
 */
export function clientFor(
  url: string,
  side: Side = 'primary',
): { Client: typeof Client; connectionString: string } {
  const [connectionString = url, ...others] = addressesOf(url, side)
  // A replica may be promoted, so even a single one is checked.
  if (others.length === 0 && side === 'primary') return { Client, connectionString }
  const addresses = [connectionString, ...others]
  let last: string | undefined
  let searching: Promise<string> | undefined

  const search = () =>
    (searching ??= Promise.any(addresses.map((address) => tryOne(address, side)))
      .catch((error: AggregateError) => {
        throw noneIs(side, error)
      })
      .finally(() => (searching = undefined)))

  class ClientOfSide extends Client {
    override connect(): Promise<this>
    override connect(callback: (error: Error) => void): void
    override connect(callback?: (error: Error) => void) {
      if (callback === undefined) return this.#connect()
      return callbackify(() => this.#connect())(callback)
    }

    async #connect() {
      const address = last ?? (await search())
      // TLS verifies the host name.
      const { host, port } = new Client({ connectionString: address })
      Object.assign(this, { host, port })
      try {
        await super.connect()
        await requireSide(this, side)
        last = address
      } catch (error) {
        last = undefined
        throw error
      }
      return this
    }
  }
  return { Client: ClientOfSide, connectionString }
}

async function tryOne(connectionString: string, side: Side): Promise<string> {
  const options: ClientConfig = { connectionString, connectionTimeoutMillis: searchMs }
  const client = new Client({ ...options, query_timeout: searchMs })
  client.on('error', () => {})
  try {
    await client.connect()
    await requireSide(client, side)
    return connectionString
  } finally {
    await client.end().catch(() => {})
  }
}

async function requireSide(client: Client, side: Side): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>(
    'show transaction_read_only',
  )
  const isReadOnly = rows[0]?.transaction_read_only === 'on'
  if (isReadOnly !== (side === 'replica')) throw noneIs(side)
}

/** With the code of a server that is starting up: there may be one in a moment. */
const noneIs = (side: Side, cause?: unknown) =>
  Object.assign(new Error(`No server of the database is the ${side} now.`, { cause }), {
    code: '57P03',
  })
