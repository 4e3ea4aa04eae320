import { readText, type Environment } from './environment.ts'
import { StartupError } from './startup-error.ts'

/**
 * What a process does for its services: `web` serves calls and the console, `gateway` connects
 * devices, `runner` runs jobs and cloud handlers.
 */
export const allRoles = ['web', 'gateway', 'runner'] as const
export type Role = (typeof allRoles)[number]

/**
 * @throws StartupError for an unknown role, and for a subset of roles if only one process is
 * possible.
 */
export function readRoles(env: Environment, databaseUrl: string | undefined): readonly Role[] {
  // The roles of this process, separated by commas.
  const text = readText(env, 'GROVE_ROLES')
  if (text === undefined) return allRoles
  const names = text.split(',').map((name) => name.trim())
  for (const name of names)
    if (!allRoles.some((role) => role === name))
      throw new StartupError(`GROVE_ROLES names "${name}"; it may hold: ${allRoles.join(', ')}.`)
  const roles = allRoles.filter((role) => names.includes(role))
  if (roles.length < allRoles.length && databaseUrl === undefined)
    throw new StartupError(
      `GROVE_ROLES is "${text}", and the embedded database belongs to one process, which has every role: set DATABASE_URL, or leave GROVE_ROLES out.`,
    )
  return roles
}

/** Whether it works with secure elements for people or jobs, which needs the keys of the vault. */
export const runsSessions = (roles: readonly Role[]): boolean =>
  roles.includes('web') || roles.includes('runner')
