import { randomUUID } from 'node:crypto'
import { processActor, type AnyActor } from '../../../../core/actor.ts'
import { record, type AuthContext, within } from '../../context.ts'
import { normaliseEmail } from './account-fields.ts'
import { findAccountByEmail, insertAccount } from '../account.queries.ts'
import { hashPassword } from './password-hash.ts'

export type Role = 'CUSTOMER' | 'DEVELOPER' | 'ADMIN'

export interface NewAccount {
  email: string | null
  /** When the owner proved the address; omitted if not proven. */
  emailVerifiedAt?: string | null
  /** null for an account that signs in only through an external identity. */
  passwordHash: string | null
  roles: readonly Role[]
  name: string | null
  locale: string
}

/** Adds an account and its event in a transaction; returns its id, or null if the email is taken. */
export async function addAccount(
  { db, now }: AuthContext,
  { origin }: AnyActor,
  account: NewAccount,
): Promise<string | null> {
  const id = randomUUID()
  const { email, roles, name, locale } = account
  const wasAdded = await insertAccount(db, {
    id,
    email,
    email_verified_at: account.emailVerifiedAt ?? null,
    password_hash: account.passwordHash,
    roles: [...roles],
    name,
    locale,
    created_at: new Date(now()).toISOString(),
  })
  if (!wasAdded) return null
  const after = { email, roles, name, locale }
  await record(db, { id, origin }, 'account.create', id, { after })
  return id
}

/**
 * Creates an account outside a request, such as a sample account; returns the id of an existing one.
 */
export async function createAccount(
  context: AuthContext,
  account: {
    email: string
    password: string
    roles: readonly Role[]
    name: string
    locale: string
  },
): Promise<string> {
  const email = normaliseEmail(account.email)
  const existing = await findAccountByEmail(context.db, email)
  if (existing) return existing.id
  const { roles, name, locale } = account
  const passwordHash = await hashPassword(account.password)
  const added = await context.db.transaction().execute((tx) =>
    addAccount(within(context, tx), processActor('grove'), {
      email,
      passwordHash,
      roles,
      name,
      locale,
    }),
  )
  return added ?? createAccount(context, account)
}
