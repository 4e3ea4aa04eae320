#!/usr/bin/env node
import { check, type CheckOptions, type Finding } from './check.ts'

// Not the types of Node, which users of the package may not have installed.
interface Process {
  argv: string[]
  exitCode: number | undefined
}
const { process } = globalThis as unknown as { process: Process }

const USAGE = `Usage: npx @grove/auth-client check <url> [options]

Checks an authentication service against PROTOCOL.md, and says what fails and why.

  --realm NAME        sent as provider; "grove" by default
  --email ADDRESS     an account to sign in with
  --password TEXT     its password
  --jwks ADDRESS      where the service publishes its keys
  --origin ORIGIN     the origin of your page, for CORS
  --api-version TEXT  "1" by default`

const MARKS: Record<Finding['level'], string> = {
  ok: '✓',
  failed: '✗',
  advice: '!',
  skipped: '–',
}

function read(args: readonly string[]): CheckOptions | null {
  const [command, url, ...rest] = args
  if (command !== 'check' || url === undefined || !/^https?:\/\//.test(url)) return null
  const given = new Map<string, string>()
  for (let at = 0; at < rest.length; at += 2) {
    const [name = '', value] = [rest[at], rest[at + 1]]
    if (!/^--(realm|email|password|jwks|origin|api-version)$/.test(name)) return null
    if (value === undefined) return null
    given.set(name, value)
  }
  const option = (name: string, key: keyof CheckOptions) => {
    const value = given.get(name)
    return value === undefined ? {} : { [key]: value }
  }
  return {
    url,
    realm: given.get('--realm') ?? 'grove',
    ...option('--email', 'email'),
    ...option('--password', 'password'),
    ...option('--jwks', 'jwksUrl'),
    ...option('--origin', 'origin'),
    ...option('--api-version', 'apiVersion'),
  }
}

const options = read(process.argv.slice(2))
if (options === null) {
  console.error(USAGE)
  process.exitCode = 2
} else {
  const findings = await check(options)
  for (const { level, call, text } of findings) console.log(`${MARKS[level]} ${call}: ${text}`)
  const failed = findings.filter(({ level }) => level === 'failed').length
  console.log(failed === 0 ? '\nThe service fits.' : `\n${failed} of ${findings.length} failed.`)
  process.exitCode = failed === 0 ? 0 : 1
}
