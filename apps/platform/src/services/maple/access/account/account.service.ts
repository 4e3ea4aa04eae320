import type { BodyOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { MapleAccount } from '@grove/contract/maple/access/account'
import { maxRoles } from '@grove/contract/maple/access/account.rules'
import type { MapleRight } from '@grove/contract/maple/access/right.rules'
import { isAdmin, type Actor } from '../../../../core/actor.ts'
import { atRevision } from '../../../../core/http/at-revision.ts'
import { fieldProblem, invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { findPerson } from '../../../../core/people/directory.ts'
import { holdMaker } from '../../../../core/people/hold-maker.ts'
import { isInScope, scopeOf, serviceOf } from '../../../../core/scope.ts'
import { accountEvents as events } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { assertAllowed } from '../access.policy.ts'
import { rightsOfUser } from '../role/mandate.service.ts'
import { assertOpenService } from '../service/service.service.ts'
import type { MapleDb } from '../../base/tables.ts'
import { accounts, lockChangesIn, readAccounts, type AccountQuery } from './account.queries.ts'

type NewAccount = BodyOf<Calls['POST /api/maple/account']>
type AccountChange = BodyOf<Calls['PUT /api/maple/account']>
type AccountValues = Pick<MapleAccount, 'id' | 'roles' | 'expiresAt' | 'serviceId'>

interface AccountAt {
  id: string
  revision?: number | undefined
}

const what = 'Maple account'

/** Accounts of one validity are in the order of their expiry. @throws BadCursorError */
export async function listAccounts(
  { db }: MapleContext,
  actor: Actor,
  query: AccountQuery,
): Promise<ResponseOf<Calls['GET /api/maple/account']>> {
  const sorted = query.validity === undefined ? query : { ...query, sort: 'expiresAt' as const }
  return readAccounts(db, sorted, scopeOf(actor))
}

/** @throws ProblemError `already_exists`, `invalid_request`, `service_suspended` or `forbidden`. */
export function createAccount(
  { db }: MapleContext,
  actor: Actor,
  { id, roles = [], expiresAt = null, serviceId = serviceOf(scopeOf(actor)) }: NewAccount,
): Promise<MapleAccount> {
  return db.transaction().execute(async (tx) => {
    const values = stored({ id, roles, expiresAt, serviceId })
    await holdRight(tx, actor, 'account.change')
    checkGrant(actor, [], values.roles)
    assertOwnService(actor, serviceId)
    if (serviceId !== null) await assertOpenService(tx, serviceId)
    await assertPerson(tx, actor, id)
    const after = await accounts.insert(tx, values)
    if (!after)
      throw fieldProblem('already_exists', 'id', `A ${what} with the id ${id} already exists.`)
    await events.record(tx, actor, 'account.create', id, { after })
    return after
  })
}

/**
 * Changes the given fields. A change without effect leaves the revision.
 * @throws ProblemError `not_found`, `edit_conflict`, `service_suspended` or `forbidden`.
 */
export function updateAccount(
  { db }: MapleContext,
  actor: Actor,
  { id, revision, change }: AccountAt & { change: AccountChange },
): Promise<MapleAccount> {
  return db.transaction().execute(async (tx) => {
    const before = await held(tx, actor, 'account.change', { id, revision })
    const values = stored({ ...before, ...change })
    checkGrant(actor, before.roles, values.roles)
    const { serviceId } = values
    assertOwnService(actor, serviceId)
    if (serviceId !== null && serviceId !== before.serviceId) await assertOpenService(tx, serviceId)
    return save(tx, actor, 'account.update', before, values)
  })
}

/** @throws ProblemError `not_found`, `edit_conflict` or `forbidden`. */
export function removeAccount({ db }: MapleContext, actor: Actor, at: AccountAt): Promise<null> {
  return db.transaction().execute(async (tx) => {
    const before = await held(tx, actor, 'account.change', at)
    // First, while the account still tells the event's service provider.
    await events.record(tx, actor, 'account.delete', at.id, { before })
    await accounts.delete(tx, at.id)
    return null
  })
}

/**
 * Granting a role that the account has changes nothing.
 * @throws ProblemError `not_found`, `limit_reached` or `forbidden`.
 */
export function grantRole(
  { db }: MapleContext,
  actor: Actor,
  { id, role }: { id: string; role: string },
): Promise<MapleAccount> {
  return db
    .transaction()
    .execute(async (tx) => grant(tx, actor, await held(tx, actor, 'role.grant', { id }), role))
}

async function grant(tx: MapleDb, actor: Actor, before: MapleAccount, role: string) {
  checkGrant(actor, [], [role])
  if (before.roles.includes(role)) return before
  if (before.roles.length >= maxRoles)
    throw new ProblemError('limit_reached', `An account has at most ${maxRoles} roles.`)
  return save(tx, actor, 'role.grant', before, { ...before, roles: [...before.roles, role] })
}

/** Revoking a role that the account lacks changes nothing. @throws ProblemError `not_found` or `forbidden`. */
export function revokeRole(
  { db }: MapleContext,
  actor: Actor,
  { id, role }: { id: string; role: string },
): Promise<MapleAccount> {
  return db
    .transaction()
    .execute(async (tx) => revoke(tx, actor, await held(tx, actor, 'role.grant', { id }), role))
}

async function revoke(tx: MapleDb, actor: Actor, before: MapleAccount, role: string) {
  checkGrant(actor, [role], [])
  const roles = before.roles.filter((name) => name !== role)
  return save(tx, actor, 'role.revoke', before, { ...before, roles })
}

/** One change of many accounts. */
export type OneChange =
  | { action: 'grant' | 'revoke'; role: string }
  | { action: 'setExpiry'; expiresAt: string | null }

/**
 * Changes one of many accounts; returns whether it changed. A refusal comes before any write.
 * @throws ProblemError `not_found`, `limit_reached` or `forbidden`.
 */
export async function changeAccount(
  tx: MapleDb,
  actor: Actor,
  id: string,
  change: OneChange,
): Promise<boolean> {
  const before = await held(tx, actor, 'account.change', { id })
  const after = await (change.action === 'setExpiry'
    ? save(tx, actor, 'account.update', before, { ...before, expiresAt: change.expiresAt })
    : (change.action === 'grant' ? grant : revoke)(tx, actor, before, change.role))
  return after.revision !== before.revision
}

/** An account that the actor may change, locked for the transaction. */
async function held(
  tx: MapleDb,
  actor: Actor,
  right: MapleRight,
  { id, revision }: AccountAt,
): Promise<MapleAccount> {
  await holdRight(tx, actor, right)
  const found = await accounts.lock(tx, id)
  // Another service provider's account is reported like a missing one.
  const visible = isInScope(scopeOf(actor), found?.serviceId) ? found : undefined
  const account = atRevision(visible, revision, what)
  assertAllowed(actor, 'account.change', account)
  return account
}

/**
 * Serialises account changes by administrators of one scope, each while their own account still
 * allows it: if two remove each other concurrently, one stays.
 * @throws ProblemError `forbidden` or `unauthorized`.
 */
async function holdRight(tx: MapleDb, actor: Actor, right: MapleRight): Promise<void> {
  await holdMaker(tx, actor)
  if (isAdmin(actor)) return
  await lockChangesIn(tx, scopeOf(actor))
  const holder = await rightsOfUser({ db: tx }, actor.id)
  const isSame = holder && serviceOf(holder.scope) === serviceOf(scopeOf(actor))
  if (!isSame || !holder.rights.includes(right))
    throw new ProblemError('forbidden', 'You do not have the right to do this.')
}

async function save(
  tx: MapleDb,
  actor: Actor,
  action: 'account.update' | 'role.grant' | 'role.revoke',
  before: MapleAccount,
  values: AccountValues,
): Promise<MapleAccount> {
  const after = await accounts.update(tx, stored(values))
  if (!after) return before
  await events.record(tx, actor, action, before.id, { before, after })
  return after
}

const stored = ({ id, roles, expiresAt, serviceId }: AccountValues): AccountValues => ({
  id,
  roles: [...new Set(roles)].toSorted(),
  expiresAt,
  serviceId,
})

/** Requires the right to grant each role that is granted or revoked. */
function checkGrant(actor: Actor, before: readonly string[], after: readonly string[]): void {
  const given = after.filter((role) => !before.includes(role))
  const taken = before.filter((role) => !after.includes(role))
  for (const role of [...given, ...taken]) assertAllowed(actor, 'role.grant', role)
}

/** If people come from an authentication service elsewhere, they cannot be looked up here. */
async function assertPerson(tx: MapleDb, actor: Actor, id: string): Promise<void> {
  const found = await findPerson(tx, actor.id, id)
  if (found === 'elsewhere') return
  if (found === 'unknown') throw invalidField('id', 'unknown_user', 'No account has this id.')
  if (found.isClosed)
    throw invalidField('id', 'account_disabled', 'The account of this user is disabled.')
}

/** Someone limited to a service provider can only create accounts of that one. */
function assertOwnService(actor: Actor, serviceId: string | null): void {
  if (!isInScope(scopeOf(actor), serviceId))
    throw invalidField('serviceId', 'exists', 'The account stays in your service provider.')
}
