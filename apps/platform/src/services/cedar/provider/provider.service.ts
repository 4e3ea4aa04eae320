import { randomUUID } from 'node:crypto'
import type { Provider } from '@grove/contract'
import { ProblemError } from '../../../core/http/problem.ts'
import type { Actor } from '../../../core/actor.ts'
import { storedName } from '../../../core/http/stored-name.ts'
import { record, type CedarContext, visibleTo } from '../context.ts'
import { imageUrl } from '../parts/image-url.ts'
import {
  findGenericProviderId,
  findProvider,
  insertProvider,
  insertProviderUser,
  listProviders as listRows,
  type ProviderRow,
} from './provider.queries.ts'

/** Providers that the actor belongs to; an admin may ask for any by its id. */
export async function listProviders(
  context: CedarContext,
  actor: Actor,
  { providerId }: { providerId?: string | undefined },
): Promise<Provider[]> {
  const db = context.db
  if (providerId !== undefined) {
    const row = await findProvider(db, providerId, visibleTo(actor))
    return row ? [toProvider(row)] : []
  }
  await ensureGenericProvider(context, actor)
  return (await listRows(db, actor.id)).map(toProvider)
}

/** @throws ProblemError `not_found` also for a provider of others, whose existence stays secret. */
export async function requireProvider(
  { db }: Pick<CedarContext, 'db'>,
  actor: Actor,
  { id }: { id: string },
): Promise<Provider> {
  const row = await findProvider(db, id, visibleTo(actor))
  if (!row) throw new ProblemError('not_found', 'The provider does not exist.')
  return toProvider(row)
}

/**
 * The actor's generic provider (design decision 3), made when it is first asked for: roles are
 * given by the authentication service, which may be elsewhere and tells nobody.
 */
export async function ensureGenericProvider(context: CedarContext, actor: Actor): Promise<string> {
  const db = context.db
  const found = await findGenericProviderId(db, actor.id)
  if (found) return found.id
  const id = randomUUID()
  const isMade = await createProvider(context, actor, {
    id,
    ownerId: actor.id,
    isDefault: true,
    translations: [
      { localeCode: 'en-US', name: 'My apps' },
      { localeCode: 'ru-RU', name: 'Мои приложения' },
    ],
  })
  if (isMade) return id
  // Another request was first; its transaction has ended, or the insert would still wait.
  return (await findGenericProviderId(db, actor.id))?.id ?? id
}

interface Organisation {
  /** Shown in every locale. */
  name: string
  ownerUserId: string
}

/** Makes a provider that is not anyone's generic one; its owner publishes under its name. */
export async function createOrganisationProvider(
  context: CedarContext,
  actor: Actor,
  { name: given, ownerUserId }: Organisation,
): Promise<Provider> {
  const name = storedName('name', given)
  const id = randomUUID()
  await createProvider(context, actor, {
    id,
    ownerId: ownerUserId,
    isDefault: false,
    translations: [
      { localeCode: 'en-US', name },
      { localeCode: 'ru-RU', name },
    ],
  })
  return requireProvider(context, { ...actor, roles: ['ADMIN'] }, { id })
}

const createProvider = (
  { db }: CedarContext,
  actor: Actor,
  provider: Parameters<typeof insertProvider>[1],
): Promise<boolean> =>
  db.transaction().execute(async (transaction) => {
    if (!(await insertProvider(transaction, provider))) return false
    await insertProviderUser(transaction, {
      provider_id: provider.id,
      user_id: provider.ownerId,
      is_owner: true,
    })
    await record(transaction, actor, 'provider.create', provider.id, { after: provider })
    return true
  })

const toProvider = (row: ProviderRow): Provider => ({
  id: row.id,
  ownerId: row.owner_id,
  isDefault: row.is_default,
  enabled: row.enabled,
  stage: row.stage,
  miniAppLinkId: row.link_id,
  translations: row.translations,
  iconUrl: imageUrl(row.icon_sha256),
})
