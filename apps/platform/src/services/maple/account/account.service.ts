import type { BodyOf, Calls, MapleAccount, QueryOf, ResponseOf } from '@grove/contract'
import type { Actor } from '../../../core/actor.ts'
import { defineEvents } from '../../../core/events/define-events.ts'
import { atRevision } from '../../../core/http/at-revision.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import type { MapleContext } from '../context.ts'
import * as queries from './account.queries.ts'

const { record } = defineEvents('maple', ['account.create', 'account.update', 'account.delete'])

/** An account, and the revision that the change is based on; without one the change always applies. */
interface AccountAt {
  id: string
  revision: number | undefined
}

/** @throws BadCursorError for a cursor that is not of this sort and order. */
export const listAccounts = (
  { db }: MapleContext,
  _actor: Actor,
  query: QueryOf<Calls['GET /api/maple/account']>,
): Promise<ResponseOf<Calls['GET /api/maple/account']>> => queries.accountList.read(db, query)

/** @throws ProblemError `already_exists`. */
export function createAccount(
  { db }: MapleContext,
  actor: Actor,
  { id, roles = [], expiresAt = null }: BodyOf<Calls['POST /api/maple/account']>,
): Promise<MapleAccount> {
  return db.transaction().execute(async (tx) => {
    const after = await queries.insertAccount(tx, { id, roles: inOrder(roles), expiresAt })
    if (!after) throw alreadyExists(id)
    await record(tx, actor, 'account.create', id, { after })
    return after
  })
}

/**
 * Changes what is given. A change that changes nothing leaves the revision.
 * @throws ProblemError `not_found` or `edit_conflict`.
 */
export function updateAccount(
  { db }: MapleContext,
  actor: Actor,
  { id, revision, change }: AccountAt & { change: BodyOf<Calls['PUT /api/maple/account']> },
): Promise<MapleAccount> {
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await queries.lockAccount(tx, id), revision, 'Maple account')
    const { roles, expiresAt } = { ...before, ...change }
    const after = await queries.changeAccount(tx, { id, roles: inOrder(roles), expiresAt })
    if (!after) return before
    await record(tx, actor, 'account.update', id, { before, after })
    return after
  })
}

/** @throws ProblemError `not_found` or `edit_conflict`. */
export function deleteAccount(
  { db }: MapleContext,
  actor: Actor,
  { id, revision }: AccountAt,
): Promise<void> {
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await queries.lockAccount(tx, id), revision, 'Maple account')
    await queries.deleteAccount(tx, id)
    await record(tx, actor, 'account.delete', id, { before })
  })
}

function alreadyExists(id: string): ProblemError {
  const message = `User ${id} already has a Maple account.`
  const errors = [{ path: 'id', code: 'already_exists', message }]
  return new ProblemError('already_exists', message, { errors })
}

const inOrder = (roles: readonly string[]): string[] => [...new Set(roles)].toSorted()
