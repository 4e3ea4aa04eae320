import { readText, type Environment } from './environment.ts'
import { StartupError } from './startup-error.ts'

/**
 * What a process does of the services that it has: `web` serves calls and the console, `gateway` takes
 * devices, `runner` runs jobs and cloud handlers.
 */
export const allRoles = ['web', 'gateway', 'runner'] as const
export type Role = (typeof allRoles)[number]

/** @throws StartupError for a role that there is not, and for some of them where one process is all. */
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

/** Works with secure elements for people or jobs, which needs the keys of the vault. */
export const runsSessions = (roles: readonly Role[]): boolean =>
  roles.includes('web') || roles.includes('runner')
