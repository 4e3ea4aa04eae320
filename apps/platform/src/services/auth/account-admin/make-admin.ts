import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { processActor } from '../../../core/actor.ts'
import { findAccountByEmail, setDisabledAt, setRoles } from '../account/account.queries.ts'
import type { AccountRow } from '../account/account.queries.ts'
import { normaliseEmail } from '../account/parts/account-fields.ts'
import { addAccount } from '../account/parts/create-account.ts'
import { hashPassword } from '../account/parts/password-hash.ts'
import { record, type AuthContext } from '../context.ts'
import {
  findPendingInvitation,
  insertInvitation,
  setWithdrawn,
} from '../invitation/invitation.queries.ts'
import { newLink } from '../invitation/new-link.ts'
import { timeText } from '../session/parts/start-session.ts'
import type { FirstAdmin } from '../settings.ts'
import type { AuthDb } from '../tables.ts'

type Context = Pick<AuthContext, 'db' | 'now'>

/** The outcome for the owner of an email who is to become an administrator. */
export type MadeAdmin =
  | { kind: 'already' }
  /** The existing account is now an administrator's, and enabled. */
  | { kind: 'changed' }
  /** The existing account may have been created by anyone, and stays unchanged. */
  | { kind: 'unconfirmed' }
  /** There was no account: anyone with the link can create one. */
  | { kind: 'invited'; token: string; expiresAt: string }

interface Asked {
  /** The actor in the audit trail. */
  by: string
  email: string
  /** Accepts an account whose email was never confirmed. */
  isTrusted?: boolean
}

/** Makes the owner of an email an administrator, for someone with a shell on the server. */
export const makeAdmin = ({ db, now }: Context, asked: Asked): Promise<MadeAdmin> =>
  db.transaction().execute(async (tx) => {
    await lockAdmins(tx)
    return makeLocked({ db: tx, now }, asked)
  })

async function makeLocked(context: Context, asked: Asked): Promise<MadeAdmin> {
  const email = normaliseEmail(asked.email)
  const account = await findAccountByEmail(context.db, email)
  if (!account) return invite(context, { ...asked, email })
  if (account.roles.includes('ADMIN') && account.disabled_at === null) return { kind: 'already' }
  if (account.email_verified_at === null && !asked.isTrusted) return { kind: 'unconfirmed' }
  await promote(context.db, asked.by, account)
  return { kind: 'changed' }
}

async function promote(tx: AuthDb, by: string, { id, roles, disabled_at }: AccountRow) {
  const actor = processActor(by)
  if (disabled_at !== null) {
    await setDisabledAt(tx, id, null)
    await record(tx, actor, 'account.enable', id)
  }
  if (roles.includes('ADMIN')) return
  await setRoles(tx, id, ['ADMIN'])
  await record(tx, actor, 'account.change_role', id, {
    before: { roles },
    after: { roles: ['ADMIN'] },
  })
}

async function invite({ db, now }: Context, { by, email }: Asked): Promise<MadeAdmin> {
  const actor = processActor(by)
  const { token, ...link } = newLink(now())
  const pending = await findPendingInvitation(db, email)
  if (pending) {
    await setWithdrawn(db, pending.id, link.sent_at)
    await record(db, actor, 'invitation.withdraw', pending.id, { before: { email } })
  }
  const id = randomUUID()
  const offer = { email, role: 'ADMIN', locale: 'en-US' } as const
  await insertInvitation(db, {
    ...link,
    ...offer,
    id,
    invited_by: null,
    created_at: link.sent_at,
  })
  await record(db, actor, 'invitation.create', id, { after: offer })
  return { kind: 'invited', token, expiresAt: link.expires_at }
}

/** The outcome of a start while Grove had no administrator. */
export type FirstStart =
  | MadeAdmin
  | { kind: 'created' }
  /** The link from an earlier start still works. */
  | { kind: 'offered'; expiresAt: string }

const by = 'GROVE_FIRST_ADMIN'

/** Creates the first administrator; does nothing if an enabled account already is one. */
export async function makeFirstAdmin(
  context: AuthContext,
  { email, password }: FirstAdmin,
): Promise<FirstStart | undefined> {
  if (await hasAdmin(context.db)) return undefined
  const passwordHash = password === undefined ? undefined : await hashPassword(password)
  return context.db.transaction().execute(async (tx): Promise<FirstStart | undefined> => {
    await lockAdmins(tx)
    // Another process may have been faster.
    if (await hasAdmin(tx)) return undefined
    const inside = { ...context, db: tx }
    const address = normaliseEmail(email)
    if (passwordHash !== undefined) {
      const added = await addAccount(inside, processActor(by), {
        email: address,
        emailVerifiedAt: timeText(context.now()),
        passwordHash,
        roles: ['ADMIN'],
        name: null,
        locale: 'en-US',
      })
      return added === null ? makeLocked(inside, { by, email: address }) : { kind: 'created' }
    }
    const pending = await findPendingInvitation(tx, address)
    const isOffered = pending?.invited_by === null && Date.parse(pending.expires_at) > context.now()
    return isOffered
      ? { kind: 'offered', expiresAt: pending.expires_at }
      : makeLocked(inside, { by, email: address })
  })
}

/** Of several processes that start together, only one creates an administrator. */
const lockAdmins = (tx: AuthDb) =>
  sql`select pg_advisory_xact_lock(hashtextextended('auth.first_admin', 0))`.execute(tx)

async function hasAdmin(db: AuthDb): Promise<boolean> {
  const { rows } = await sql`
    select from auth.account where 'ADMIN' = any(roles) and disabled_at is null limit 1
  `.execute(db)
  return rows.length > 0
}
