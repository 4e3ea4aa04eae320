import { type Claims, isText } from './token.ts'

/** The path into the payload: one claim, or several names such as `['realm_access', 'roles']`. */
export type RolesClaim = string | readonly string[]

/**
 * The roles of a token, from `roles` (a list), `role` (one) or both; with a claim given, the string
 * or list found there.
 */
export function rolesOf(claims: Claims, claim?: RolesClaim): string[] {
  const found = claim
    ? [claim].flat().reduce<unknown>((at, name) => (Object(at) as Claims)[name], claims)
    : [claims['role'], claims['roles']]
  return [...new Set([found].flat(2).filter(isText))]
}
