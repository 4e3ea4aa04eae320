import { type Claims, isText } from './token.ts'

/** The names to follow into the payload: one claim, or a path such as `['realm_access', 'roles']`. */
export type RolesClaim = string | readonly string[]

/**
 * The roles of a token, whether it carries `roles` (a list), `role` (one) or both; with a claim
 * given, the text or list that is there.
 */
export function rolesOf(claims: Claims, claim?: RolesClaim): string[] {
  const found = claim
    ? [claim].flat().reduce<unknown>((at, name) => (Object(at) as Claims)[name], claims)
    : [claims['role'], claims['roles']]
  return [...new Set([found].flat(2).filter(isText))]
}
