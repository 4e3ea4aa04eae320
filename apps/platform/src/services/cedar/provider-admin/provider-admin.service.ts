import { randomUUID } from 'node:crypto'
import type { AdminProvider, ProviderStorage } from '@grove/contract/cedar/provider-admin'
import type { BodyOf, QueryOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import { isPublicHttps } from '@grove/contract/cedar/moby-api.rules'
import { providerLimits, storageApps } from '@grove/contract/cedar/provider.rules'
import { locales } from '@grove/contract/locale.rules'
import { isAdmin, type Actor } from '../../../core/actor.ts'
import { atRevision } from '../../../core/http/at-revision.ts'
import { invalidField, ProblemError } from '../../../core/http/problem.ts'
import { assertAllowed, rightsOf } from '../cedar.rules.ts'
import { record, type CedarAction, type CedarContext } from '../context.ts'
import { limitReached, limitsInForce } from '../parts/limits.ts'
import { resolveUser } from '../parts/resolve-user.ts'
import { checkNames } from '../parts/translations.ts'
import { insertOrganisation } from '../provider/provider.service.ts'
import { findBytesByApp, findProviderBytes } from '../storage/storage.queries.ts'
import type { CedarDb } from '../tables.ts'
import { deleteKey } from './provider-key.queries.ts'
import { setApiKey } from './provider-key.service.ts'
import * as queries from './provider-admin.queries.ts'

export async function listProviders(
  { db }: CedarContext,
  _actor: Actor,
  query: QueryOf<Calls['GET /api/admin/provider']>,
) {
  const page = await queries.providerList.read(db, query)
  return { ...page, items: page.items.map(queries.toListItem) }
}

interface ProviderId {
  id: string
}

/** @throws ProblemError `not_found`, also for a provider that the actor does not belong to. */
export async function readProvider(
  { db, settings }: Pick<CedarContext, 'db' | 'settings'>,
  actor: Actor,
  { id }: ProviderId,
): Promise<AdminProvider> {
  const facts = await requireFacts(db, actor, id)
  const { limits, use } = facts
  return {
    ...facts,
    limits: Object.fromEntries(
      providerLimits.map((limit) => [limit, limits[limit] ?? null]),
    ) as AdminProvider['limits'],
    limitsInForce: limitsInForce(settings, limits),
    use: { ...use, storageBytes: await findProviderBytes(db, id) },
    users: facts.users.map((user) => ({
      ...user,
      roles: facts.mobyRoles[user.isOwner ? 'owner' : 'member'],
    })),
    rights: rightsOf(actor, facts, { change: 'provider.change', delete: 'provider.delete' }),
  }
}

async function requireFacts(db: CedarDb, actor: Actor, id: string) {
  const facts = await queries.findProviderFacts(db, id)
  if (!facts || !(isAdmin(actor) || facts.users.some(({ userId }) => userId === actor.id)))
    throw new ProblemError('not_found', 'The provider does not exist.')
  return facts
}

/** @throws ProblemError `not_found`, also for a provider that the actor does not belong to. */
export async function readStorage(
  { db, settings }: CedarContext,
  actor: Actor,
  { id }: ProviderId,
): Promise<ProviderStorage> {
  const facts = await requireFacts(db, actor, id)
  const rows = await findBytesByApp(db, id)
  const sumOf = (some: readonly { bytes: number }[]) =>
    some.reduce((sum, { bytes }) => sum + bytes, 0)
  const apps = rows.flatMap(({ productId, translations, bytes }) =>
    productId === null ? [] : [{ productId, translations: translations ?? [], bytes }],
  )
  const others = apps.slice(storageApps)
  return {
    used: sumOf(rows),
    limit: limitsInForce(settings, facts.limits).storageBytes,
    apps: apps.slice(0, storageApps),
    others: { apps: others.length, bytes: sumOf(others) },
    sharedBytes: sumOf(rows.filter(({ productId }) => productId === null)),
  }
}

/** Creates an organisation provider; its owner publishes under its name. */
export function createProvider(
  context: CedarContext,
  actor: Actor,
  { name, stage, ownerId: owner }: BodyOf<Calls['POST /api/cedar/provider']>,
): Promise<AdminProvider> {
  const id = randomUUID()
  return context.db.transaction().execute(async (db) => {
    const ownerId =
      owner === undefined
        ? actor.id
        : await resolveUser(db, actor, { field: 'ownerId', user: owner })
    await insertOrganisation(db, actor, { id, name, ownerId, stage })
    return readProvider({ ...context, db }, actor, { id })
  })
}

type Change = Omit<BodyOf<Calls['PUT /api/admin/provider/{id}']>, 'translations'> & {
  translations?: AdminProvider['translations'] | undefined
  fares?: AdminProvider['fares'] | undefined
}

interface Changing extends ProviderId {
  /** The revision that the change is based on; without one it always applies. */
  revision?: number | undefined
}

/** Changes the given fields. A limit below the current usage blocks additions and removes nothing. */
export const updateProvider = (
  context: CedarContext,
  actor: Actor,
  { id, revision, change }: Changing & { change: Change },
): Promise<AdminProvider> =>
  changeProvider(context, actor, {
    id,
    revision,
    action: change.mobyApiKey === undefined ? 'provider.update' : 'provider.key',
    change: async (db, before) => {
      const { limits, mobyApiKey: key, ...given } = change
      const after = { ...before, ...given }
      if (key !== undefined) await setApiKey(context, db, { providerId: id, key })
      await queries.updateProvider(db, id, {
        ...after,
        translations: checkNames(after.translations, 'translations'),
        limits: withoutNulls({ ...before.limits, ...limits }),
        fares: checkFares(after.fares),
        miniAppRights: checkRights(after.miniAppRights),
        mobyApiUrl: checkAddress(after.mobyApiUrl),
      })
    },
  })

/** Ends one key immediately; others stay valid. */
export const revokeKey = (
  context: CedarContext,
  actor: Actor,
  { id, keyId, revision }: Changing & { keyId: string },
): Promise<AdminProvider> =>
  changeProvider(context, actor, {
    id,
    revision,
    action: 'provider.key.revoke',
    change: async (db) => {
      if (!(await deleteKey(db, id, keyId)))
        throw new ProblemError('not_found', 'The provider has no such key.')
      await queries.touchProvider(db, id)
    },
  })

/** Sets the name in every locale, or the fares. */
export const renameProvider = (
  context: CedarContext,
  actor: Actor,
  {
    revision,
    change: { provider, name, fares },
  }: { revision?: number | undefined; change: BodyOf<Calls['PUT /api/cedar/provider']> },
): Promise<AdminProvider> =>
  updateProvider(context, actor, {
    id: provider,
    revision,
    change: {
      ...(name !== undefined && {
        translations: locales.map((localeCode) => ({ localeCode, name })),
      }),
      ...(fares && { fares }),
    },
  })

/** @throws ProblemError `provider_is_personal`, or `provider_in_use` while it has apps. */
export function deleteProvider(
  context: CedarContext,
  actor: Actor,
  { id, revision }: Changing,
): Promise<void> {
  return context.db.transaction().execute(async (db) => {
    await queries.lockProviders(db, [id])
    const before = await readProvider({ ...context, db }, actor, { id })
    atRevision(before, revision, 'provider')
    assertAllowed(actor, 'provider.delete', before)
    await record(db, actor, 'provider.delete', id, { before: auditOf(before) })
    await queries.deleteProvider(db, id)
  })
}

/** Links a user to a provider, makes one its owner, or unlinks one; idempotent. */
export const changeUser = (
  context: CedarContext,
  actor: Actor,
  { provider: id, user: given, action, isOwner = false }: BodyOf<Calls['POST /api/cedar/user']>,
): Promise<AdminProvider> =>
  changeProvider(context, actor, {
    id,
    action: action === 'link' ? 'provider.link' : 'provider.unlink',
    change: async (db, before) => {
      const { users, ownerId, limitsInForce: most } = before
      if (before.isDefault)
        throw new ProblemError(
          'provider_is_personal',
          'A personal provider has only its developer. Create one for the organisation.',
        )
      // A member is removed under the name in the list, whoever that was.
      const isListed = action === 'unlink' && users.some(({ userId }) => userId === given)
      const user = isListed
        ? given
        : await resolveUser(db, actor, {
            field: 'user',
            user: given,
            mayBeClosed: action === 'unlink',
          })
      const isMember = users.some(({ userId }) => userId === user)
      if (action === 'unlink') {
        if (user === ownerId)
          throw new ProblemError(
            'owner_stays',
            'The owner cannot be unlinked. Make another user the owner first.',
          )
        if (!isMember) return
        await queries.unlinkUser(db, id, user)
      } else {
        const isNewOwner = isOwner && user !== ownerId
        if (isMember && !isNewOwner) return
        if (!isMember && users.length >= most.members)
          throw limitReached('members', { used: users.length, limit: most.members })
        await queries.linkUser(db, id, user)
        if (isNewOwner) await queries.setOwner(db, id, user)
      }
      await queries.touchProvider(db, id)
    },
  })

interface ProviderChange extends Changing {
  action: CedarAction
  change: (db: CedarDb, before: AdminProvider) => Promise<unknown>
}

function changeProvider(
  context: CedarContext,
  actor: Actor,
  { id, revision, action, change }: ProviderChange,
): Promise<AdminProvider> {
  return context.db.transaction().execute(async (db) => {
    await queries.lockProviders(db, [id])
    const before = await readProvider({ ...context, db }, actor, { id })
    atRevision(before, revision, 'provider')
    await change(db, before)
    const after = await readProvider({ ...context, db }, actor, { id })
    if (after.revision === before.revision) return before
    await record(db, actor, action, id, { before: auditOf(before), after: auditOf(after) })
    return after
  })
}

/** Rights and usage are transient. */
function auditOf(provider: AdminProvider) {
  const {
    rights: _rights,
    use: _use,
    limitsInForce: _limits,
    mobyApiKey: _end,
    ...facts
  } = provider
  // The last characters of the keys tell which one is valid.
  return facts
}

const checkFares = (fares: AdminProvider['fares']): AdminProvider['fares'] =>
  fares.map((fare, index) => {
    const path = `fares.${index}`
    const { names, validFrom, validTo } = fare
    if (validFrom !== null && validTo !== null && validFrom > validTo)
      throw invalidField(
        `${path}.validTo`,
        'minimum',
        'The last day of a fare is before its first.',
      )
    return { ...fare, names: checkNames(names, `${path}.names`) }
  })

function checkRights(rights: AdminProvider['miniAppRights']): AdminProvider['miniAppRights'] {
  const seen = new Set<string>()
  for (const [index, { permission, hosts }] of rights.entries()) {
    const path = `miniAppRights.${index}`
    // In the form in which manifests are compared with them.
    const name = permission.toLowerCase()
    if (seen.has(name))
      throw invalidField(`${path}.permission`, 'uniqueItems', 'The permission appears twice.')
    seen.add(name)
    if (hosts.length > 0 && permission !== 'network')
      throw invalidField(`${path}.hosts`, 'maxItems', 'Hosts belong to the permission network.', {
        limit: 0,
      })
  }
  return rights
}

function checkAddress(url: string | null): string | null {
  if (url !== null && !isPublicHttps(url))
    throw invalidField(
      'mobyApiUrl',
      'format',
      'The address must begin with https:// and a public host name, without a password, a number in place of the name, or a private network.',
    )
  return url
}

const withoutNulls = (limits: Partial<AdminProvider['limits']>) =>
  Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== null))
