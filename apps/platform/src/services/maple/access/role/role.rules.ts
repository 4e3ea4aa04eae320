import { mapleRights, type MapleRight } from '@grove/contract/maple/access/right.rules'

const reads = mapleRights.filter((right) => right.endsWith('.read'))
const fleet = ['overview.read', 'device.read', 'element.read', 'service.read'] as const

/** What each role may do: the one table that is enforced and shown. */
export const roleRights: Readonly<Record<string, readonly MapleRight[]>> = {
  admin: mapleRights,
  // Everything but the keys of elements, approvals and the service providers themselves.
  provider_admin: mapleRights.filter(
    (right) => !['element.secure', 'service.change', 'approval.give'].includes(right),
  ),
  developer: [
    ...fleet,
    'device.command',
    'session.read',
    'session.run',
    'applet.read',
    'applet.change',
    'card.read',
    'card.change',
    'program.read',
    'program.change',
    'program.run',
    'product.read',
    'product.change',
    'rollout.read',
    'rollout.run',
    'role.read',
    'job.read',
  ],
  operator: [
    ...fleet,
    'device.change',
    'device.import',
    'device.command',
    'element.change',
    'session.read',
    'session.run',
    'applet.read',
    'card.read',
    'program.read',
    'program.run',
    'product.read',
    'rollout.read',
    'rollout.run',
    'job.read',
    'job.change',
  ],
  // Cannot change devices or accounts, so that one person alone cannot take over an element.
  security_officer: [
    ...fleet,
    'element.secure',
    'session.read',
    'session.run',
    'session.raw',
    'applet.read',
    'card.read',
    'rollout.read',
    'key.read',
    'approval.give',
    'role.read',
    'event.read',
  ],
  auditor: reads,
  viewer: fleet,
}

/** The combined rights of several roles; unknown names grant none. */
export function rightsOfRoles(roles: readonly string[]): MapleRight[] {
  const given = new Set(roles.flatMap((role) => rightsOfRole(role)))
  return mapleRights.filter((right) => given.has(right))
}

// Own properties only: a role may be called "constructor".
export const rightsOfRole = (role: string): readonly MapleRight[] =>
  (Object.hasOwn(roleRights, role) ? roleRights[role] : undefined) ?? []

/** The roles whose holders may grant a role; administrators may grant any. */
export const grantersOf = (role: string): string[] =>
  Object.keys(roleRights).filter((name) => mayGrant(rightsOfRole(name), role))

/**
 * Nobody can grant or revoke more than they may do themselves, or a name that could gain rights
 * later.
 */
export const mayGrant = (rights: readonly string[], role: string): boolean =>
  rights.includes('role.grant') &&
  Object.hasOwn(roleRights, role) &&
  rightsOfRole(role).every((right) => rights.includes(right))
