import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Profile } from '@grove/contract/auth/profile'
import { defaultLocale, isLocale } from '@grove/contract/locale.rules'
import type { Actor } from '../../../core/actor.ts'
import { storedName } from '../../../core/http/stored-name.ts'
import { rightsOf } from '../auth.rules.ts'
import { record, type AuthContext, within } from '../context.ts'
import type { AccountRow } from '../account/account.queries.ts'
import { lockLiveAccount, requireLiveSession } from '../session/parts/live-session.ts'
import { readIdentities, updateProfile } from './profile.queries.ts'

export async function readProfile(context: AuthContext, actor: Actor): Promise<Profile> {
  return profileOf(context, actor, await requireLiveSession(context, actor))
}

/** Changes name and locale. A change without effect writes no event. */
export async function changeProfile(
  context: AuthContext,
  actor: Actor,
  { name: given, locale }: BodyOf<Calls['PUT /api/user/profile']>,
): Promise<Profile> {
  const name = given === null ? null : storedName('name', given)
  return context.db.transaction().execute(async (tx) => {
    const account = await lockLiveAccount(within(context, tx), actor)
    const before = { name: account.name, locale: account.locale }
    if (name === before.name && locale === before.locale)
      return profileOf(within(context, tx), actor, account)
    await updateProfile(tx, account.id, { name, locale })
    await record(tx, actor, 'account.update', account.id, { before, after: { name, locale } })
    return profileOf(within(context, tx), actor, { ...account, name, locale })
  })
}

async function profileOf(
  { db, settings }: AuthContext,
  actor: Actor,
  account: AccountRow,
): Promise<Profile> {
  const names = new Map(settings.openIdProviders.map(({ id, name }) => [id, name]))
  const identities = await readIdentities(db, account.id)
  const hasPassword = account.password_hash !== null
  const methods = { hasPassword, identityCount: identities.length }
  const rights = rightsOf(actor, methods, { unlink: 'identity.unlink' })
  return {
    id: account.id,
    email: account.email,
    emailVerifiedAt: account.email_verified_at,
    name: account.name,
    locale: isLocale(account.locale) ? account.locale : defaultLocale,
    roles: account.roles,
    hasPassword,
    identities: identities.map((identity) => ({
      id: identity.id,
      broker: identity.broker,
      // A broker that is no longer configured is shown by its id.
      brokerName: names.get(identity.broker) ?? identity.broker,
      name: identity.name,
      email: identity.email,
      linkedAt: identity.linked_at,
      lastUsedAt: identity.last_used_at,
      rights,
    })),
    createdAt: account.created_at,
  }
}
