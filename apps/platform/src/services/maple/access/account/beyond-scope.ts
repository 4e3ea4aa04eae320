import { sql } from 'kysely'
import type { MapleDb } from '../../base/tables.ts'
import { accountChanges, servicesOfAccounts, type AccountChange } from './beyond-scope.queries.ts'

/** A change that gives an account a wider reach than its creator. */
export interface BeyondScope extends Pick<AccountChange, 'id' | 'at' | 'action' | 'actor'> {
  account: string
  /** The service provider of the account after the change; null if unlimited. */
  serviceId: string | null
  /** What the actor was limited to; null if the actor's own account is in this list. */
  actorServiceId: string | null
  /** Whether the account is there today. */
  exists: boolean
}

/**
 * Accounts that someone limited to a service provider created or widened beyond it, and the accounts
 * that those created in turn, oldest first. The audit trail is read from its beginning, with the
 * service provider that each actor had at the time. Only accounts are considered: an administrator
 * who also has a limited account is listed with what that account could not have done.
 */
export const accountsBeyondScope = (db: MapleDb): Promise<BeyondScope[]> =>
  db.transaction().execute(async (tx) => {
    await sql`set transaction read only`.execute(tx)
    const today = await servicesOfAccounts(tx)
    const changes = await accountChanges(tx)
    const services = servicesAtFirst(changes, today)
    const beyond = new Set<string>()
    const found: BeyondScope[] = []
    for (const { id, at, action, actor, account, before, after } of changes) {
      const serviceId = (after ?? before)?.serviceId ?? null
      const limit = services.get(actor) ?? null
      const isBeyond = beyond.has(actor) || (limit !== null && serviceId !== limit)
      if (isBeyond && isGiven(action)) {
        beyond.add(account)
        const actorServiceId = beyond.has(actor) ? null : limit
        found.push({
          id,
          at,
          action,
          actor,
          account,
          serviceId,
          actorServiceId,
          exists: today.has(account),
        })
      }
      if (after) services.set(account, serviceId)
      else {
        services.delete(account)
        beyond.delete(account)
      }
    }
    return found
  })

const isGiven = (action: string) =>
  ['account.create', 'account.update', 'role.grant'].includes(action)

/**
 * The owners of accounts from before the audit trail: from their first change, or their current
 * state.
 */
function servicesAtFirst(
  changes: readonly AccountChange[],
  today: ReadonlyMap<string, string | null>,
): Map<string, string | null> {
  const services = new Map<string, string | null>()
  const isKnown = new Set<string>()
  for (const { account, before } of changes) {
    if (!isKnown.has(account) && before) services.set(account, before.serviceId)
    isKnown.add(account)
  }
  for (const [account, serviceId] of today)
    if (!isKnown.has(account)) services.set(account, serviceId)
  return services
}
