import { createHash, randomUUID } from 'node:crypto'
import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Notification } from '@grove/contract/cedar/notification'
import {
  audienceKinds,
  devicePlatforms,
  notificationLimits,
} from '@grove/contract/cedar/notification.rules'
import { locales } from '@grove/contract/locale.rules'
import { isAdmin, type Actor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { withoutRights } from '../../../core/policy.ts'
import { assertAllowed, rightsOf } from '../cedar.rules.ts'
import { record, visibleTo, type CedarContext } from '../context.ts'
import { imageUrl } from '../parts/image-url.ts'
import { catalogueLimits, limitsInForce } from '../parts/limits.ts'
import { lockProduct } from '../product/product.queries.ts'
import { getProduct, requireProduct } from '../product/product.service.ts'
import { findLimits } from '../provider/provider.queries.ts'
import { listProviders, requireProvider } from '../provider/provider.service.ts'
import { countAudience } from '../push-device/push-device.queries.ts'
import { pushTransportNames } from '../push-transport/push-transport.ts'
import type { CedarDb } from '../tables.ts'
import { addToHour, readHistory, type HistoryScope, type Span } from './history.queries.ts'
import * as queries from './notification.queries.ts'
import {
  checkAudience,
  checkBytes,
  checkLink,
  checkTexts,
  checkTimes,
} from './notification.rules.ts'

export async function readSystemData(
  context: CedarContext,
  actor: Actor,
): Promise<ResponseOf<Calls['GET /api/notification/systemdata']>> {
  const { title, body, link, payloadBytes, testDevices, scheduleDays, expiryDays } =
    notificationLimits
  const own = await listProviders(context, actor, {})
  const quotas = await readQuotas(
    context.db,
    own.map(({ id }) => id),
  )
  return {
    locales: [...locales],
    audiences: [...audienceKinds],
    platforms: [...devicePlatforms],
    limits: { title, body, link, payloadBytes, testDevices, scheduleDays, expiryDays },
    quota: quotas,
    transports: pushTransportNames.map((name) => ({
      name,
      isConfigured: context.push?.name === name,
    })),
  }
}

async function readQuotas(db: CedarDb, providerIds: readonly string[]) {
  const rows = await queries.readQuotas(db, providerIds)
  return rows.map(({ provider_id: providerId, used, own }) => {
    const limit = own ?? catalogueLimits.notificationsPerDay
    return { providerId, limit, used, left: Math.max(0, limit - used) }
  })
}

type Scoped = Pick<QueryOf<Calls['GET /api/notification']>, 'productId' | 'providerId'>

/** The notifications that a query covers. @throws ProblemError `not_found` for another owner's. */
export async function scopeOf(
  context: CedarContext,
  actor: Actor,
  { productId, providerId }: Scoped,
): Promise<HistoryScope> {
  if (providerId !== undefined) await requireProvider(context, actor, { id: providerId })
  if (productId !== undefined) {
    const product = await requireProduct(context, actor, { id: productId })
    if (providerId !== undefined && product.providerId !== providerId)
      throw new ProblemError('not_found', 'The provider has no such product.')
    return { productId }
  }
  if (providerId !== undefined) return { providerIds: [providerId] }
  if (isAdmin(actor)) return 'everyone'
  return { providerIds: (await listProviders(context, actor, {})).map(({ id }) => id) }
}

export const spanOf = ({ fromDate, toDate }: { fromDate?: string; toDate?: string }): Span => ({
  from: fromDate && new Date(fromDate).toISOString(),
  before: toDate && new Date(toDate).toISOString(),
})

export async function listNotifications(
  context: CedarContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/notification']>,
): Promise<ResponseOf<Calls['GET /api/notification']>> {
  const { from = 0, length = 50 } = query
  const scope = await scopeOf(context, actor, query)
  const { ids, total } = await readHistory(context.db, scope, {
    span: spanOf(query),
    offset: from,
    length,
  })
  const rows = await queries.findPage(context.db, ids)
  return { items: rows.map((row) => toNotification(actor, row)), total, from, length }
}

interface NotificationId {
  id: string
}

/** @throws ProblemError `not_found`, also for another owner's notification. */
export async function readNotification(
  { db }: Pick<CedarContext, 'db'>,
  actor: Actor,
  { id }: NotificationId,
): Promise<Notification> {
  const row = await queries.findNotification(db, id, visibleTo(actor))
  if (!row) throw new ProblemError('not_found', 'The notification does not exist.')
  return toNotification(actor, row)
}

/**
 * Stores a notification and the job that sends it. If the product has already used the idempotency
 * key, returns the existing notification.
 */
export async function composeNotification(
  context: CedarContext,
  actor: Actor,
  given: BodyOf<Calls['POST /api/notification']>,
): Promise<Notification> {
  const { productId, idempotencyKey: key = null } = given
  const translations = checkTexts(given.translations)
  const audience = checkAudience(given.audience ?? {})
  const { linkId } = await getProduct(context, actor, { id: productId })
  const link = checkLink(given.link, linkId)
  const now = context.now()
  const { at, isScheduled, expiresAt, expirySeconds } = checkTimes(given, now)
  checkBytes(translations, { link, expirySeconds })
  const id = randomUUID()
  const requestHash = key === null ? null : hashOf(given)

  return context.db.transaction().execute(async (db) => {
    await lockProduct(db, productId)
    // It may have moved to another provider.
    const { providerId } = await requireProduct({ db }, actor, { id: productId })
    const known = key === null ? undefined : await queries.findByKey(db, productId, key)
    if (known) {
      if (known.request_hash !== requestHash)
        throw new ProblemError(
          'already_exists',
          'Another notification of the app has this idempotency key.',
        )
      return readNotification({ db }, actor, { id: known.id })
    }
    await takeQuota(context, db, providerId)
    await queries.insertNotification(db, {
      id,
      productId,
      providerId,
      translations,
      audience,
      link,
      at: new Date(at).toISOString(),
      isScheduled,
      expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
      idempotencyKey: key,
      requestHash,
      createdBy: actor.id,
    })
    const due = new Date(at).toISOString()
    await addToHour(db, { productId, providerId, at: due, counts: { notifications: 1 } })
    const jobId = await context.jobs.enqueue(
      db,
      'notification.send',
      { id },
      { owner: providerId, createdBy: actor.id, ...(isScheduled && { runAt: new Date(at) }) },
    )
    await queries.setJob(db, id, jobId)
    const after = await readNotification({ db }, actor, { id })
    await record(db, actor, 'notification.create', id, { after: eventOf(after), of: productId })
    return after
  })
}

/** @throws ProblemError `limit_reached`, which states the usage and who can raise the limit. */
async function takeQuota(
  { settings }: Pick<CedarContext, 'settings'>,
  db: CedarDb,
  providerId: string,
): Promise<void> {
  const own = (await findLimits(db, providerId))?.limits ?? {}
  const { notificationsPerDay: limit } = limitsInForce(settings, own)
  if ((await queries.takeQuota(db, providerId, limit)) !== null) return
  throw new ProblemError(
    'limit_reached',
    `The provider has used ${limit} of ${limit} notifications for today (UTC). An administrator can raise the limit.`,
  )
}

/** The fields that a repeated request must have in common. */
const hashOf = (given: BodyOf<Calls['POST /api/notification']>) =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(given).toSorted(([a], [b]) => (a < b ? -1 : 1))))
    .digest('hex')

/** @throws ProblemError `notification_sent` once sending has started. */
export async function cancelNotification(
  context: CedarContext,
  actor: Actor,
  { id }: NotificationId,
): Promise<Notification> {
  return context.db.transaction().execute(async (db) => {
    const before = await readNotification({ db }, actor, { id })
    assertAllowed(actor, 'notification.cancel', before)
    if (!(await queries.cancelScheduled(db, id)))
      throw new ProblemError(
        'notification_sent',
        'The notification is being sent, so it can no longer be cancelled.',
      )
    const after = await readNotification({ db }, actor, { id })
    const facts = { before: eventOf(before), after: eventOf(after), of: before.productId }
    await record(db, actor, 'notification.cancel', id, facts)
    return after
  })
}

export async function estimateAudience(
  context: CedarContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/notification/audience']>,
): Promise<ResponseOf<Calls['GET /api/notification/audience']>> {
  const { productId, locales: inLocales, platforms, ...rest } = query
  const { providerId } = await getProduct(context, actor, { id: productId })
  const audience = checkAudience({
    ...rest,
    ...(inLocales !== undefined && { locales: locales.filter((each) => listed(inLocales, each)) }),
    ...(platforms !== undefined && {
      platforms: devicePlatforms.filter((each) => listed(platforms, each)),
    }),
  })
  const [quota] = await readQuotas(context.db, [providerId])
  const limit = catalogueLimits.notificationsPerDay
  const { providerId: _, ...facts } = quota ?? { providerId, limit, used: 0, left: limit }
  return { ...(await countAudience(context.db, productId, audience)), quota: facts }
}

const listed = (list: string, value: string) => list.split(',').includes(value)

const eventOf = (notification: Notification) => {
  const {
    productTranslations: _titles,
    productIconUrl: _icon,
    ...facts
  } = withoutRights(notification)
  return facts
}

export function toNotification(actor: Actor, row: queries.NotificationRow): Notification {
  const facts = {
    id: row.id,
    productId: row.product_id,
    providerId: row.provider_id,
    productTranslations: row.product_translations,
    productIconUrl: imageUrl(row.icon_sha256),
    state: row.state,
    reason: row.reason,
    translations: row.translations,
    audience: row.audience,
    link: row.link,
    at: row.at,
    isScheduled: row.is_scheduled,
    expiresAt: row.expires_at,
    devices: row.devices,
    sent: row.sent,
    delivered: row.delivered,
    opened: row.opened,
    failed: row.failed,
    failures: row.failures,
    transport: row.transport,
    createdBy: row.created_by,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  }
  return { ...facts, rights: rightsOf(actor, facts, { cancel: 'notification.cancel' }) }
}
