import type { Account } from '@grove/contract/auth/account-admin'
import type { Calls } from '@grove/contract/calls'
import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { AccountRole, AccountState } from '@grove/contract/auth/account.rules'
import { isAdmin, type Actor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { assertAllowed, rightsOf } from '../auth.rules.ts'
import { record, type AuthContext, within } from '../context.ts'
import { normaliseEmail } from '../account/parts/account-fields.ts'
import { setDisabledAt, setRoles, type AccountRow } from '../account/account.queries.ts'
import { endInvitationsOf } from '../invitation/end-invitations.ts'
import { endSessions } from '../session/account-session.service.ts'
import { requireLiveSession, type LiveAccount } from '../session/parts/live-session.ts'
import { lockAccounts } from '../session/session.queries.ts'
import { timeText } from '../session/parts/start-session.ts'
import {
  accountList,
  findAccount,
  findAccounts,
  type AccountFacts,
} from './account-admin.queries.ts'

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** @throws BadCursorError for a cursor of another list or order. */
export async function listAccounts(
  context: AuthContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/admin/account']>,
): Promise<ResponseOf<Calls['GET /api/admin/account']>> {
  await requireAdmin(context, actor)
  const { q, ids, ...rest } = query
  if (ids !== undefined) {
    const found = await findAccounts(context.db, ids.toLowerCase().split(','))
    return pageOf(found.map((account) => withRights(context, actor, account)))
  }
  const text = normaliseEmail(q?.trim() ?? '')
  if (uuid.test(text)) {
    const found = await findAccount(context.db, text)
    return pageOf(found && isOf(found, query.state) ? [withRights(context, actor, found)] : [])
  }
  const page = await accountList.read(
    context.db,
    text === ''
      ? { ...rest, sort: 'createdAt', order: 'desc' }
      : { ...rest, text, sort: 'email', order: 'asc' },
  )
  return { ...page, items: page.items.map((account) => withRights(context, actor, account)) }
}

/** The account with the actor's rights on it. */
function withRights({ mailer }: AuthContext, actor: Actor, account: AccountFacts): Account {
  const rights = rightsOf(
    actor,
    { ...account, hasMail: mailer !== null },
    {
      disable: 'account.disable',
      changeRole: 'account.change_role',
      resetPassword: 'account.send_reset',
      endSessions: 'account.end_sessions',
    },
  )
  return { ...account, rights }
}

const isOf = ({ disabledAt }: AccountFacts, state: AccountState | undefined) =>
  state === undefined || (disabledAt === null) === (state === 'enabled')

const pageOf = (items: Account[]) => ({ items, next: null, previous: null })

/** The fields that an administrator changes of an account. */
type AccountChange = BodyOf<Calls['PUT /api/admin/account/{id}']>

/** Disables an account, which ends its sessions, enables it again or changes its role; idempotent. */
export async function updateAccount(
  context: AuthContext,
  actor: Actor,
  { id, change }: { id: string; change: AccountChange },
): Promise<Account> {
  return changeAccount(context, actor, id, async (inside, account) => {
    if (change.role !== undefined) await changeRole(inside, actor, account, change.role)
    if (change.enabled !== undefined) await setEnabled(inside, actor, account, change.enabled)
  })
}

async function changeRole(
  context: AuthContext,
  actor: Actor,
  { id, roles: before }: AccountRow,
  role: AccountRole,
): Promise<void> {
  assertAllowed(actor, 'account.change_role', { id })
  if (before.length === 1 && before[0] === role) return
  await setRoles(context.db, id, [role])
  await record(context.db, actor, 'account.change_role', id, {
    before: { roles: before },
    after: { roles: [role] },
  })
  if (role !== 'ADMIN') await endInvitationsOf(context, actor, id)
}

async function setEnabled(
  context: AuthContext,
  actor: Actor,
  { id, disabled_at: before }: AccountRow,
  isEnabled: boolean,
): Promise<void> {
  if (!isEnabled) assertAllowed(actor, 'account.disable', { id })
  if ((before === null) === isEnabled) return
  const disabledAt = isEnabled ? null : timeText(context.now())
  await setDisabledAt(context.db, id, disabledAt)
  await record(context.db, actor, isEnabled ? 'account.enable' : 'account.disable', id, {
    before: { disabledAt: before },
    after: { disabledAt },
  })
  if (isEnabled) return
  await endInvitationsOf(context, actor, id)
  await endSessions(context, actor, { accountId: id, reason: 'disabled' })
}

/**
 * Changes one account in a transaction, with that account and the administrator's locked: two
 * administrators who disable or demote each other must not both succeed.
 */
export async function changeAccount(
  context: AuthContext,
  actor: Actor,
  given: string,
  change: (inside: AuthContext, account: AccountRow) => Promise<void>,
): Promise<Account> {
  // UUIDs are case-insensitive.
  const id = given.toLowerCase()
  return context.db.transaction().execute(async (tx) => {
    const inside = within(context, tx)
    const accounts = await lockAccounts(tx, [actor.id, id])
    await requireAdmin(inside, actor)
    const account = accounts.find((row) => row.id === id)
    if (!account) throw noAccount()
    await change(inside, account)
    const changed = await findAccount(tx, id)
    if (!changed) throw new Error('A locked account is gone.')
    return withRights(context, actor, changed)
  })
}

export const noAccount = () => new ProblemError('not_found', 'The account does not exist.')

/** Reads the account's roles: those in the access token may be ten minutes old. */
export async function requireAdmin(context: AuthContext, actor: Actor): Promise<LiveAccount> {
  const account = await requireLiveSession(context, actor)
  if (!isAdmin(account)) throw new ProblemError('forbidden', 'This call needs the ADMIN role.')
  return account
}
