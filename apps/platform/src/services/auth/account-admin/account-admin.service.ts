import type { Account, Calls, QueryOf, ResponseOf } from '@grove/contract'
import type { AccountState } from '@grove/contract/auth/account.rules'
import { defaultPageSize } from '@grove/contract/page.rules'
import { audit } from '../../../core/audit.ts'
import { keysetPage, keysetRange } from '../../../core/database/keyset-page.ts'
import type { Caller } from '../../../core/http/access.ts'
import type { Origin } from '../../../core/http/add-call.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { normaliseEmail } from '../account/account-fields.ts'
import { setDisabledAt } from '../account/account.queries.ts'
import type { Auth } from '../auth.ts'
import { endSessions } from '../session/account-session.service.ts'
import { requireLiveSession } from '../session/live-session.ts'
import { lockAccounts } from '../session/session.queries.ts'
import { timeText } from '../session/start-session.ts'
import type { AuthDb } from '../tables.ts'
import { findAccount, pageOfAccounts } from './account-admin.queries.ts'

const newestFirst = { name: 'newest', value: 'timestamp', tiebreak: 'uuid' } as const
const byEmail = { name: 'email', value: 'text', tiebreak: 'uuid' } as const

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** @throws BadCursorError for a cursor of another list or order. */
export async function listAccounts(
  auth: Auth,
  caller: Caller,
  query: QueryOf<Calls['GET /api/admin/account']>,
): Promise<ResponseOf<Calls['GET /api/admin/account']>> {
  await requireAdmin(auth, auth.db, caller)
  const { state, cursor, limit = defaultPageSize } = query
  const text = normaliseEmail(query.q?.trim() ?? '')
  if (uuid.test(text)) return pageOfOne(await findAccount(auth.db, text), state)
  const isSearch = text !== ''
  const sort = isSearch ? byEmail : newestFirst
  const range = keysetRange(sort, cursor, limit)
  const filter = { state, prefix: isSearch ? text : undefined }
  const rows = await pageOfAccounts(auth.db, filter, range)
  return keysetPage(sort, range, rows, ({ id, email, createdAt }) => ({
    value: isSearch ? (email ?? '') : createdAt,
    tiebreak: id,
  }))
}

function pageOfOne(account: Account | undefined, state: AccountState | undefined) {
  const stateOf = (found: Account) => (found.disabledAt === null ? 'enabled' : 'disabled')
  const items = account && (state ?? stateOf(account)) === stateOf(account) ? [account] : []
  return { items, next: null, previous: null }
}

/** Disables an account, which ends its sessions, or enables it again; may be repeated. */
export async function setAccountEnabled(
  auth: Auth,
  caller: Caller,
  id: string,
  isEnabled: boolean,
  origin: Origin,
): Promise<Account> {
  return auth.db.transaction().execute(async (tx) => {
    // Both: two administrators who disable each other must not both succeed.
    const accounts = await lockAccounts(tx, [caller.userId, id])
    await requireAdmin(auth, tx, caller)
    if (id === caller.userId && !isEnabled)
      throw new ProblemError(
        'own_account',
        'You cannot disable your own account. Another administrator can.',
      )
    const account = accounts.find((row) => row.id === id)
    if (!account) throw new ProblemError('not_found', 'There is no such account.')
    if ((account.disabled_at === null) !== isEnabled) {
      const disabledAt = isEnabled ? null : timeText(auth.now())
      const actor = caller.userId
      await setDisabledAt(tx, id, disabledAt)
      await audit(tx, 'auth', {
        actor,
        action: isEnabled ? 'account.enable' : 'account.disable',
        subject: id,
        origin,
        before: { disabledAt: account.disabled_at },
        after: { disabledAt },
      })
      if (!isEnabled) await endSessions(auth, tx, id, {}, 'disabled', { actor, origin })
    }
    const changed = await findAccount(tx, id)
    if (!changed) throw new Error('A locked account is gone.')
    return changed
  })
}

/** The token says what the account was; who was an administrator ten minutes ago need not be one. */
async function requireAdmin(auth: Auth, db: AuthDb, caller: Caller): Promise<void> {
  const { roles } = await requireLiveSession(auth, db, caller)
  if (!roles.includes('ADMIN'))
    throw new ProblemError('forbidden', 'This call needs the ADMIN role.')
}
