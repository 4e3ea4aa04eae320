import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readText, type Environment } from '../environment.ts'
import { StartupError } from '../startup-error.ts'
import { Problems } from './problems.ts'
import { settings, type Setting } from './settings-table.ts'

/**
 * The environment with a folder's `.env` file, over which variables already set take precedence, and
 * with secrets from files.
 * @throws StartupError for a misspelt name, and for a file that cannot be read.
 */
export function loadEnvironment(folder: string, gathered?: Problems): Environment {
  const file = resolve(folder, '.env')
  if (existsSync(file)) process.loadEnvFile(file)
  const problems = gathered ?? new Problems()
  const env = environmentOf(process.env, problems)
  if (!gathered) problems.refuse()
  return env
}

export function environmentOf(env: Environment, problems: Problems): Environment {
  for (const name of Object.keys(env)) problems.at(() => refuseUnknown(name))
  const secrets = Object.entries<Setting>(settings).filter(([, { isSecret }]) => isSecret)
  const fromFiles = secrets.flatMap(([name]) => {
    const value = problems.at(() => readSecretFile(env, name))
    return value === undefined ? [] : [[name, value]]
  })
  return { ...env, ...Object.fromEntries(fromFiles) }
}

/** The secret in the file named by `<name>_FILE`, as containers and supervisors provide it. */
function readSecretFile(env: Environment, name: string): string | undefined {
  const file = readText(env, `${name}_FILE`)
  if (file === undefined) return undefined
  if (readText(env, name) !== undefined)
    throw new StartupError(`Set ${name} or ${name}_FILE, not both.`)
  const text = contentOf(file, name).trim()
  if (text === '') throw new StartupError(`${name}_FILE is "${file}", which is empty.`)
  return text
}

function contentOf(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new StartupError(
      `${name}_FILE is "${file}", which cannot be read (${(cause as NodeJS.ErrnoException).code}).`,
      { cause },
    )
  }
}

/** Names read by the command line tool, agents, tests and benchmarks. */
const others =
  /^GROVE_(API_KEY|KEY|URL|EMAIL|PASSWORD|APP|VERSION|NEW_SECRET|ADMIN_EMAIL|ADMIN_PASSWORD|AUTH_URL|AUTH_PROVIDER|DEVICE_SECRET|CHROMIUM|FIREFOX|WEBKIT|PRIVATE_READER|FUZZ_SEED|LOCALES|COUNTS|MODEL_RUNS|TESTS?|(TEST|BENCH|E2E)_\w+)$/

/** @throws StartupError for a `GROVE_` name that nothing reads: most likely a misspelt one. */
function refuseUnknown(name: string): void {
  const [, base = name] = /^(.*)_FILE$/.exec(name) ?? []
  const isFile = base !== name && (settings as Record<string, Setting>)[base]?.isSecret
  if (!name.startsWith('GROVE_') || Object.hasOwn(settings, name) || isFile || others.test(name))
    return
  const nearest = nearestTo(name)
  throw new StartupError(
    `There is no setting ${name}.${nearest === undefined ? ' The operator guide lists all of them.' : ` Is it ${nearest}?`}`,
  )
}

const maxDistance = 4

function nearestTo(name: string): string | undefined {
  const near = Object.keys(settings)
    .map((each) => ({ each, distance: distanceOf(name, each) }))
    .toSorted((a, b) => a.distance - b.distance)[0]
  return near !== undefined && near.distance <= maxDistance ? near.each : undefined
}

/** How many characters differ, are missing or are extra (Levenshtein distance). */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [index, letter] of Array.from(one).entries()) {
    const next = [index + 1]
    for (let at = 1; at <= other.length; at += 1)
      next.push(
        Math.min(
          (next[at - 1] ?? 0) + 1,
          (row[at] ?? 0) + 1,
          (row[at - 1] ?? 0) + (other[at - 1] === letter ? 0 : 1),
        ),
      )
    row = next
  }
  return row[other.length] ?? 0
}
