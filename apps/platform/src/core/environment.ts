import { StartupError } from './startup-error.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** The trimmed value; an empty one counts as unset. */
export function readText(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}

/** @throws StartupError that lists the allowed values. */
export function readChoice<const T extends string>(
  env: Environment,
  name: string,
  allowed: readonly T[],
  fallback: T,
): T {
  const value = readText(env, name) ?? fallback
  const found = allowed.find((candidate) => candidate === value)
  if (found === undefined)
    throw new StartupError(`${name} is "${value}"; it must be one of: ${allowed.join(', ')}.`)
  return found
}

/** A switch: `on` or `off`. */
export const readSwitch = (env: Environment, name: string, fallback: boolean): boolean =>
  readChoice(env, name, ['on', 'off'], fallback ? 'on' : 'off') === 'on'

export function readInteger(
  env: Environment,
  name: string,
  { least, most, fallback }: { least: number; most: number; fallback: number },
): number {
  const value = readText(env, name)
  if (value === undefined) return fallback
  const number = Number(value)
  if (!Number.isInteger(number) || number < least || number > most)
    throw new StartupError(
      `${name} is "${value}"; it must be a whole number from ${least} to ${most}.`,
    )
  return number
}

export function readUrl(
  env: Environment,
  name: string,
  protocols: readonly string[] = ['http:', 'https:'],
): string | undefined {
  const value = readText(env, name)
  if (value === undefined) return undefined
  // The message does not repeat the value: a URL may contain a password.
  if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol))
    throw new StartupError(
      `${name} is not an address that starts with ${protocols.map((p) => `${p}//`).join(' or ')}.`,
    )
  return value
}

export const isLoopbackName = (host: string): boolean =>
  ['127.0.0.1', '::1', '[::1]', 'localhost'].includes(host)
