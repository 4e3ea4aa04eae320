import type { CheckOptions } from './check.ts'

export const usage = `Usage: npx @grove/auth-client check <address> [options]

Checks an authentication service against PROTOCOL.md as a page in a browser meets it, and says of each
call whether it fits, what does not, and what to change.

  --origin ORIGIN     the origin of your page, for CORS
  --jwks ADDRESS      where the service publishes its keys
  --realm NAME        sent as provider; "grove" by default
  --email ADDRESS     an account to sign in with; GROVE_EMAIL by default. Its password is
                      GROVE_PASSWORD; without it, a terminal asks for it
  --password TEXT     the password; better not: others on this machine see it among the processes
  --issuer TEXT       the iss that your page demands of a token
  --audience TEXT     the aud that your page demands of a token
  --broker NAME       a broker whose external login your page offers
  --api-version TEXT  "1" by default
  --timeout SECONDS   for one call, 10 by default; the whole takes two minutes at most
  --json              print the findings as one JSON object at the end
  --help              print this text

Signs in twice, tries two wrong passwords, and signs out.

Exit codes: 0 the service fits, 1 something is wrong, 2 wrong command line, 3 the service cannot be
reached, 4 the account was refused and nothing else is wrong, 130 stopped. Warnings change nothing of
the exit code.`

export interface Arguments {
  options: CheckOptions
  isJson: boolean
  /** Whether the password was passed on the command line. */
  isPasswordShown: boolean
}

type Environment = Record<string, string | undefined>

/** An invalid command line; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

const flags = ['--json']
const names = [
  '--origin',
  '--jwks',
  '--realm',
  '--email',
  '--password',
  '--issuer',
  '--audience',
  '--broker',
  '--api-version',
  '--timeout',
]

/** @throws UsageError */
export function readArguments(args: readonly string[], env: Environment): Arguments {
  const [command, ...rest] = args
  if (command !== 'check')
    throw new UsageError(command === undefined ? '' : `There is no command ${command}.`)
  const { values, positionals, isJson } = parse(rest)
  const [address, ...more] = positionals
  if (address === undefined) throw new UsageError('Name the address of the service.')
  if (more.length > 0) throw new UsageError(`There is nothing to do with ${more.join(' ')}.`)
  const [origin, timeout] = [values.get('--origin'), values.get('--timeout')]
  const password = values.get('--password') ?? env['GROVE_PASSWORD']
  const optional = {
    email: values.get('--email') ?? env['GROVE_EMAIL'],
    password,
    jwksUrl: values.get('--jwks'),
    issuer: values.get('--issuer'),
    audience: values.get('--audience'),
    broker: values.get('--broker'),
    apiVersion: values.get('--api-version'),
    origin: origin === undefined ? undefined : originOf(origin),
    timeout: timeout === undefined ? undefined : millisecondsOf(timeout),
  }
  const given = Object.entries(optional).filter(([, value]) => value !== undefined && value !== '')
  const url = addressOf(address)
  if (optional.jwksUrl !== undefined && !URL.canParse(optional.jwksUrl, url))
    throw new UsageError(`--jwks ${optional.jwksUrl} is not an address.`)
  const realm = values.get('--realm') ?? 'grove'
  return {
    options: { url, realm, ...Object.fromEntries(given) },
    isJson,
    isPasswordShown: values.has('--password'),
  }
}

function parse(args: readonly string[]) {
  const values = new Map<string, string>()
  const positionals: string[] = []
  let isJson = false
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (!arg.startsWith('--')) {
      positionals.push(arg)
      continue
    }
    const equals = arg.indexOf('=')
    const name = equals === -1 ? arg : arg.slice(0, equals)
    if (flags.includes(arg)) {
      isJson = true
      continue
    }
    if (!names.includes(name)) throw new UsageError(`There is no option ${name}.`)
    const value = equals === -1 ? args[++at] : arg.slice(equals + 1)
    if (value === undefined) throw new UsageError(`${name} needs a value.`)
    values.set(name, value)
  }
  return { values, positionals, isJson }
}

function addressOf(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new UsageError(`${text} is not an address that begins with https://.`)
  const { username, password } = new URL(text)
  if (username || password) throw new UsageError('The address must not carry credentials.')
  return text
}

function originOf(text: string): string {
  const { origin } = new URL(addressOf(text))
  return origin
}

function millisecondsOf(text: string): number {
  const seconds = Number(text)
  if (!(seconds > 0 && seconds <= 120))
    throw new UsageError('--timeout is a number of seconds, 120 at most.')
  return seconds * 1000
}
