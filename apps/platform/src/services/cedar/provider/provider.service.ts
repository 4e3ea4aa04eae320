import { randomUUID } from 'node:crypto'
import type { Provider } from '@grove/contract/cedar/provider'
import { locales } from '@grove/contract/locale.rules'
import { ProblemError } from '../../../core/http/problem.ts'
import type { Actor } from '../../../core/actor.ts'
import { storedName } from '../../../core/http/stored-name.ts'
import { holdMaker } from '../../../core/people/hold-maker.ts'
import { record, type CedarContext, visibleTo } from '../context.ts'
import { imageUrl } from '../parts/image-url.ts'
import { masked } from '../parts/masked.ts'
import type { CedarDb } from '../tables.ts'
import {
  countOwned,
  findGenericProviderId,
  findProvider,
  insertProvider,
  insertProviderUser,
  listProviders as listRows,
  lockProvider,
  type ProviderRow,
} from './provider.queries.ts'

/** Providers that the actor belongs to; an admin may request any by its id. */
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

/** @throws ProblemError `not_found`, also for another owner's provider. */
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
 * The actor's generic provider, created on first use: roles come from the authentication service,
 * which may be elsewhere and sends no notification.
 */
export async function ensureGenericProvider(context: CedarContext, actor: Actor): Promise<string> {
  const db = context.db
  const found = await findGenericProviderId(db, actor.id)
  if (found) return found.id
  const id = randomUUID()
  const isMade = await db.transaction().execute((tx) =>
    insertOwned(tx, actor, {
      id,
      ownerId: actor.id,
      isDefault: true,
      translations: [
        { localeCode: 'en-US', name: 'My apps' },
        { localeCode: 'ru-RU', name: 'Мои приложения' },
      ],
    }),
  )
  if (isMade) return id
  // A concurrent request was first; its transaction has committed, or the insert would still wait.
  return (await findGenericProviderId(db, actor.id))?.id ?? id
}

/** Why the actor cannot create a provider now; null if they can. */
export async function createRefusal(
  { db, settings }: Pick<CedarContext, 'db' | 'settings'>,
  id: string,
): Promise<'forbidden' | 'limit_reached' | null> {
  const most = settings.providersOfDeveloper
  if (most === 0) return 'forbidden'
  return (await countOwned(db, id)) < most ? null : 'limit_reached'
}

export const readProviderRights = async (context: CedarContext, actor: Actor) => ({
  create: await createRefusal(context, actor.id),
})

/**
 * Creates a provider that the actor owns, where developers may.
 * @throws ProblemError `forbidden`, `limit_reached`
 */
export async function createOwnProvider(
  context: CedarContext,
  actor: Actor,
  { name }: { name: string },
): Promise<Provider> {
  const personalId = await ensureGenericProvider(context, actor)
  const id = randomUUID()
  return context.db.transaction().execute(async (db) => {
    // Serialised: each counts those before it.
    await lockProvider(db, personalId)
    await holdMaker(db, actor)
    const refusal = await createRefusal({ ...context, db }, actor.id)
    if (refusal === 'forbidden')
      throw new ProblemError(
        refusal,
        'Administrators create the providers here. Ask one for a provider of yours.',
      )
    if (refusal)
      throw new ProblemError(
        refusal,
        `You own ${context.settings.providersOfDeveloper} providers, as many as one may create. An administrator can create more for you.`,
      )
    await insertOrganisation(db, actor, { id, name, ownerId: actor.id })
    return requireProvider({ db }, actor, { id })
  })
}

interface Organisation {
  id: string
  /** Shown in every locale. */
  name: string
  ownerId: string
  stage?: Provider['stage'] | undefined
}

/** Adds an organisation provider; its owner publishes under its name. */
export async function insertOrganisation(
  db: CedarDb,
  actor: Actor,
  { name: given, ...provider }: Organisation,
): Promise<void> {
  const name = storedName('name', given)
  const translations = locales.map((localeCode) => ({ localeCode, name }))
  await insertOwned(db, actor, { ...provider, isDefault: false, translations })
}

/** @returns false if the owner already has a generic provider. */
async function insertOwned(
  db: CedarDb,
  actor: Actor,
  provider: Parameters<typeof insertProvider>[1],
): Promise<boolean> {
  if (!(await insertProvider(db, provider))) return false
  const { id, ownerId } = provider
  await insertProviderUser(db, { provider_id: id, user_id: ownerId, is_owner: true })
  await record(db, actor, 'provider.create', id, { after: provider })
  return true
}

const toProvider = (row: ProviderRow): Provider => ({
  id: row.id,
  ownerId: row.owner_id,
  isDefault: row.is_default,
  enabled: row.enabled,
  stage: row.stage,
  miniAppLinkId: row.link_id,
  translations: row.translations,
  iconUrl: imageUrl(row.icon_sha256),
  mobyApiKey: masked(row.key_end),
  mobyApiUrl: row.moby_api_url,
  mobyRoles: row.moby_roles,
  miniAppRights: row.mini_app_rights,
})
