import { randomUUID } from 'node:crypto'
import { audit } from '../../../core/audit.ts'
import type { Origin } from '../../../core/http/add-call.ts'
import type { Platform } from '../../../core/platform.ts'
import type { AuthDb, AuthTables } from '../tables.ts'
import { normaliseEmail } from './account-fields.ts'
import { findAccountByEmail, insertAccount } from './account.queries.ts'
import { hashPassword } from './password-hash.ts'

export type Role = 'CUSTOMER' | 'DEVELOPER' | 'ADMIN'

export interface NewAccount {
  email: string | null
  /** When somebody proved that the address is theirs; nobody did where it is left out. */
  emailVerifiedAt?: string | null
  /** null for an account that is signed in to by an external identity alone. */
  passwordHash: string | null
  roles: readonly Role[]
  name: string | null
  locale: string
}

/** Adds an account and its audit row in the given transaction; null when the email is taken. */
export async function addAccount(
  tx: AuthDb,
  account: NewAccount,
  origin: Origin,
  now: number,
): Promise<string | null> {
  const id = randomUUID()
  const { email, roles, name, locale } = account
  const wasAdded = await insertAccount(tx, {
    id,
    email,
    email_verified_at: account.emailVerifiedAt ?? null,
    password_hash: account.passwordHash,
    roles: [...roles],
    name,
    locale,
    created_at: new Date(now).toISOString(),
  })
  if (!wasAdded) return null
  const after = { email, roles, name, locale }
  await audit(tx, 'auth', { actor: id, action: 'account.create', subject: id, origin, after })
  return id
}

/** Creates an account without a visitor, such as a sample one; answers the id of an existing one. */
export async function createAccount(
  platform: Platform,
  account: {
    email: string
    password: string
    roles: readonly Role[]
    name: string
    locale: string
  },
): Promise<string> {
  const db = platform.db.withTables<AuthTables>()
  const email = normaliseEmail(account.email)
  const existing = await findAccountByEmail(db, email)
  if (existing) return existing.id
  const { roles, name, locale } = account
  const passwordHash = await hashPassword(account.password)
  const origin = { requestId: '', ip: '', userAgent: 'grove' }
  const added = await db
    .transaction()
    .execute((tx) =>
      addAccount(tx, { email, passwordHash, roles, name, locale }, origin, platform.now()),
    )
  return added ?? createAccount(platform, account)
}
