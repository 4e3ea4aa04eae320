import { parseArgs } from 'node:util'
import { CommandError, exitCodes, type ExitCode } from '../exit-codes.ts'
import { checkPreflight, checkService, type CallResult, type ServiceName } from './check-service.ts'

export const checkUsage = `Usage: grove check cedar|maple <address> [options]

Makes the calls that the console needs and that change nothing, and says of each whether it fits.

  --auth ADDRESS    the authentication service; by default the same address
  --realm NAME      its sign-in realm (grove)
  --email EMAIL     who signs in; GROVE_EMAIL by default. The password is GROVE_PASSWORD
  --console ORIGIN  where the console is served, to check what a browser lets it do (CORS)
  --json            print the results as JSON

GROVE_TOKEN may hold an access token in place of the sign-in.

Exit codes: 0 all calls fit, 1 a call does not fit, none is there or the service cannot be reached,
2 wrong command line, 4 the sign-in was refused. Calls that the service lacks or that the account
may not make are named, and change nothing of the exit code.`

interface Settings {
  service: ServiceName
  url: string
  authUrl: string
  realm: string
  email: string | undefined
  origin: string | undefined
  isJson: boolean
}

type Environment = Record<string, string | undefined>

/** @throws CommandError that names the invalid argument. */
function readSettings(args: readonly string[], env: Environment): Settings {
  const { values, positionals } = parse(args)
  const [service, address, ...more] = positionals
  if (service !== 'cedar' && service !== 'maple') throw wrong('Name cedar or maple.')
  if (address === undefined) throw wrong('Name the address of the service.')
  if (more.length > 0) throw wrong(`There is nothing to do with ${more.join(' ')}.`)
  const url = addressOf(address)
  return {
    service,
    url,
    authUrl: values.auth === undefined ? url : addressOf(values.auth),
    realm: values.realm,
    email: values.email ?? env['GROVE_EMAIL'],
    origin: values.console && new URL(addressOf(values.console)).origin,
    isJson: values.json,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        auth: { type: 'string' },
        realm: { type: 'string', default: 'grove' },
        email: { type: 'string' },
        console: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error))
  }
}

function addressOf(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw wrong(`${text} is not an address that begins with https://.`)
  return text.replace(/\/+$/, '')
}

const wrong = (message: string) => new CommandError(exitCodes.usage, message)

/** Signs in like the console to get an access token. */
async function signIn({ authUrl, realm, email }: Settings, env: Environment): Promise<string> {
  const { GROVE_TOKEN: token, GROVE_PASSWORD: password } = env
  if (token) return token
  if (!email || !password)
    throw wrong(
      'Set GROVE_EMAIL and GROVE_PASSWORD to an account, or GROVE_TOKEN to an access token.',
    )
  const response = await fetch(`${authUrl}/api/token/password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'api-version': '1' },
    body: JSON.stringify({ email, password, provider: realm }),
    redirect: 'error',
    signal: AbortSignal.timeout(10_000),
  }).catch((error: unknown) => {
    throw new CommandError(exitCodes.failed, `${authUrl} cannot be reached: ${String(error)}.`)
  })
  const answer = (await response.json().catch(() => undefined)) as
    | { token?: { accessToken?: unknown } }
    | undefined
  const given = answer?.token?.accessToken
  if (response.ok && typeof given === 'string') return given
  throw new CommandError(
    exitCodes.notAllowed,
    `${authUrl} refused the sign-in with ${response.status}.`,
  )
}

/** The lines of a call: the result, and each fault with what it should be. */
export function linesOf({ call, result, status, items, note, faults }: CallResult): string[] {
  const words = {
    fits: items === undefined ? '' : ` (${items} ${items === 1 ? 'item' : 'items'})`,
    wrong: '',
    lacks: ` answered ${status}: the console leaves out what needs it`,
    skipped: `: ${note ?? ''}`,
  }
  const of = faults.map(({ path, what, right, isNeeded }) => {
    const hint = isNeeded ? `right: ${right}` : `shown as absent; right: ${right}`
    return `         ${path === '' ? '' : `${path} `}${what} (${hint})`
  })
  return [`${result.padEnd(7)}  ${call}${words[result]}`, ...of]
}

const names: Record<ServiceName, string> = { cedar: 'Cedar', maple: 'Maple' }

/** Runs `grove check`; returns the exit code. */
export async function check(
  args: readonly string[],
  env: Environment,
  print: (line: string) => void,
): Promise<ExitCode> {
  if (args.includes('--help') || args.includes('-h')) {
    print(checkUsage)
    return exitCodes.published
  }
  const settings = readSettings(args, env)
  const token = await signIn(settings, env)
  const { service, url, origin, isJson } = settings
  const options = { service, url, token, origin }
  const results: CallResult[] = []
  const add = (result: CallResult) => {
    results.push(result)
    if (!isJson) for (const line of linesOf(result)) print(line)
  }
  for await (const result of checkService(options)) add(result)
  if (origin !== undefined) add(await checkPreflight(options))
  // Any web server would answer 404 to all of them.
  const isThere = results.some(({ result, status }) => result === 'fits' || status === 403)
  const isFit = isThere && results.every(({ result }) => result !== 'wrong')
  if (isJson) print(JSON.stringify({ service, url, fits: isFit, calls: results }, null, 2))
  else if (isFit) print(`${url} fits.`)
  else if (isThere || results.some(({ result }) => result === 'wrong'))
    print(`${url} does not fit.`)
  else print(`${url} has none of the calls: is it the address of a ${names[service]}?`)
  return isFit ? exitCodes.published : exitCodes.failed
}
