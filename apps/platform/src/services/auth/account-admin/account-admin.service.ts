import type { Account } from '@grove/contract/auth/account-admin'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf, ResponseOf } from '@grove/contract/call'
import type { AccountState } from '@grove/contract/auth/account.rules'
import { isAdmin, type Actor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { assertAllowed, rightsOf } from '../auth.rules.ts'
import { record, type AuthContext, within } from '../context.ts'
import { normaliseEmail } from '../account/parts/account-fields.ts'
import { setDisabledAt } from '../account/account.queries.ts'
import { endSessions } from '../session/account-session.service.ts'
import { requireLiveSession } from '../session/parts/live-session.ts'
import { lockAccounts } from '../session/session.queries.ts'
import { timeText } from '../session/parts/start-session.ts'
import { accountList, findAccount, type AccountFacts } from './account-admin.queries.ts'

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** @throws BadCursorError for a cursor of another list or order. */
export async function listAccounts(
  context: AuthContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/admin/account']>,
): Promise<ResponseOf<Calls['GET /api/admin/account']>> {
  await requireAdmin(context, actor)
  const { q, ...rest } = query
  const text = normaliseEmail(q?.trim() ?? '')
  if (uuid.test(text)) {
    const found = await findAccount(context.db, text)
    return pageOfOne(found && withRights(actor, found), query.state)
  }
  const page = await accountList.read(
    context.db,
    text === ''
      ? { ...rest, sort: 'createdAt', order: 'desc' }
      : { ...rest, prefix: text, sort: 'email', order: 'asc' },
  )
  return { ...page, items: page.items.map((account) => withRights(actor, account)) }
}

/** The account with the actor's rights on it. */
const withRights = (actor: Actor, account: AccountFacts): Account => ({
  ...account,
  rights: rightsOf(actor, account, { disable: 'account.disable' }),
})

function pageOfOne(account: Account | undefined, state: AccountState | undefined) {
  const stateOf = (found: Account) => (found.disabledAt === null ? 'enabled' : 'disabled')
  const items = account && (state ?? stateOf(account)) === stateOf(account) ? [account] : []
  return { items, next: null, previous: null }
}

/** Disables an account, which ends its sessions, or enables it again; idempotent. */
export async function setAccountEnabled(
  context: AuthContext,
  actor: Actor,
  { id: given, isEnabled }: { id: string; isEnabled: boolean },
): Promise<Account> {
  // UUIDs are case-insensitive.
  const id = given.toLowerCase()
  return context.db.transaction().execute(async (tx) => {
    const inside = within(context, tx)
    // Lock both: two administrators who disable each other must not both succeed.
    const accounts = await lockAccounts(tx, [actor.id, id])
    await requireAdmin(inside, actor)
    if (!isEnabled) assertAllowed(actor, 'account.disable', { id })
    const account = accounts.find((row) => row.id === id)
    if (!account) throw new ProblemError('not_found', 'The account does not exist.')
    if ((account.disabled_at === null) !== isEnabled) {
      const disabledAt = isEnabled ? null : timeText(context.now())
      await setDisabledAt(tx, id, disabledAt)
      await record(tx, actor, isEnabled ? 'account.enable' : 'account.disable', id, {
        before: { disabledAt: account.disabled_at },
        after: { disabledAt },
      })
      if (!isEnabled) await endSessions(inside, actor, { accountId: id, reason: 'disabled' })
    }
    const changed = await findAccount(tx, id)
    if (!changed) throw new Error('A locked account is gone.')
    return withRights(actor, changed)
  })
}

/** Reads the account's roles: those in the access token may be ten minutes old. */
async function requireAdmin(context: AuthContext, actor: Actor): Promise<void> {
  if (!isAdmin(await requireLiveSession(context, actor)))
    throw new ProblemError('forbidden', 'This call needs the ADMIN role.')
}
