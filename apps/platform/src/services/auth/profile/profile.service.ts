import type { BodyOf, Calls, Profile } from '@grove/contract'
import { defaultLocale, isLocale } from '@grove/contract/locale.rules'
import { audit } from '../../../core/audit.ts'
import type { Caller } from '../../../core/http/access.ts'
import type { Origin } from '../../../core/http/add-call.ts'
import type { AccountRow } from '../account/account.queries.ts'
import type { Auth } from '../auth.ts'
import { lockLiveAccount, requireLiveSession } from '../session/live-session.ts'
import type { AuthDb } from '../tables.ts'
import { readIdentities, updateProfile } from './profile.queries.ts'

export async function readProfile(auth: Auth, caller: Caller): Promise<Profile> {
  return profileOf(auth, auth.db, await requireLiveSession(auth, auth.db, caller))
}

/** Changes what people read; nothing changed leaves no audit row. */
export async function changeProfile(
  auth: Auth,
  caller: Caller,
  { name, locale }: BodyOf<Calls['PUT /api/user/profile']>,
  origin: Origin,
): Promise<Profile> {
  return auth.db.transaction().execute(async (tx) => {
    const account = await lockLiveAccount(auth, tx, caller)
    const before = { name: account.name, locale: account.locale }
    if (name === before.name && locale === before.locale) return profileOf(auth, tx, account)
    await updateProfile(tx, account.id, { name, locale })
    await audit(tx, 'auth', {
      actor: account.id,
      action: 'account.update',
      subject: account.id,
      origin,
      before,
      after: { name, locale },
    })
    return profileOf(auth, tx, { ...account, name, locale })
  })
}

async function profileOf(auth: Auth, db: AuthDb, account: AccountRow): Promise<Profile> {
  const names = new Map(auth.config.openIdProviders.map(({ id, name }) => [id, name]))
  const identities = await readIdentities(db, account.id)
  return {
    id: account.id,
    email: account.email,
    emailVerifiedAt: account.email_verified_at,
    name: account.name,
    locale: isLocale(account.locale) ? account.locale : defaultLocale,
    roles: account.roles,
    hasPassword: account.password_hash !== null,
    identities: identities.map((identity) => ({
      id: identity.id,
      broker: identity.broker,
      // A broker that is no longer configured has its id alone.
      brokerName: names.get(identity.broker) ?? identity.broker,
      name: identity.name,
      email: identity.email,
      linkedAt: identity.linked_at,
      lastUsedAt: identity.last_used_at,
    })),
    createdAt: account.created_at,
  }
}
