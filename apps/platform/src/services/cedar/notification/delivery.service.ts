import { messageOf, productLink, textFor } from '@grove/contract/cedar/notification.rules'
import { defaultLocale } from '@grove/contract/locale.rules'
import type { JobDefinition, JobRun } from '../../../core/jobs/define-jobs.ts'
import type { CedarContext } from '../context.ts'
import { findTargets, type TargetRow } from '../push-device/push-device.queries.ts'
import { stopped, type Outcome, type PushMessage } from '../push-transport/push-transport.ts'
import type { CedarDb } from '../tables.ts'
import * as queries from './delivery.queries.ts'
import type { DeliveryRow } from './delivery.queries.ts'
import { addToHour } from './history.queries.ts'
import { setJob } from './notification.queries.ts'
import { receiptCodes, type ReceiptCodes } from './receipt.service.ts'

/** Devices per batch: the maximum that a kill repeats. */
const batchSize = 500
/** Maximum attempts per message. */
const maxTries = 8
const second = 1000
const firstDelayMs = 10 * second
const maxDelayMs = 15 * 60 * second
/** Without its own expiry, a notification is tried for this long. */
const patienceMs = 24 * 3600 * second

/**
 * Sends a notification in batches. Each is stored before it is sent and counted afterwards, so a
 * killed process leaves one batch to repeat, with the same key and the same devices.
 */
export const sendJob: JobDefinition<CedarContext, { id: string }> = {
  atOnce: 4,
  // Limited by time, not by attempts: an unreachable transport ends the run and queues another.
  maxAttempts: 1000,
  maxDelayMs,
  run: (context, { id }, job) => deliver(context, id, job),
}

interface Batch {
  number: number
  messages: PushMessage[]
}

async function deliver(context: CedarContext, id: string, { signal, progress }: JobRun) {
  const codes = receiptCodes(context.receiptSecret)
  let batch = await inTransaction(context, (db) => begin(context, db, id, codes))
  while (batch) {
    signal.throwIfAborted()
    const { number, messages } = batch
    const { push } = context
    if (push === null) return
    const outcomes = await push.send({ key: `${id}.${number}`, messages }, signal)
    batch = await inTransaction(context, (db) =>
      end(context, db, { id, number, outcomes, codes, progress }),
    )
  }
}

const inTransaction = <T>({ db }: CedarContext, run: (tx: CedarDb) => Promise<T>): Promise<T> =>
  db.transaction().execute(run)

/** The first batch, or the one that a killed process left. */
async function begin(
  context: CedarContext,
  db: CedarDb,
  id: string,
  codes: ReceiptCodes,
): Promise<Batch | null> {
  const row = await queries.lockDelivery(db, id)
  // An administrator may retry a failed job.
  if (!row || !['scheduled', 'sending', 'failed'].includes(row.state)) return null
  if (context.push === null) {
    await queries.endDelivery(db, id, 'not_sent', 'no_transport')
    return null
  }
  if (row.state !== 'sending') await start(context, db, row, context.push.name)
  if (row.batch_devices !== null) return batchOf(context, db, row, row.batch_devices, codes)
  return plan(context, db, id, codes)
}

const start = ({ now }: CedarContext, db: CedarDb, row: DeliveryRow, transport: string) =>
  queries.startDelivery(db, row, {
    transport,
    triedUntil: row.expires_at ?? new Date(now() + patienceMs).toISOString(),
  })

/** Stores the next batch; null if it is not due yet, or if that was all. */
async function plan(
  context: CedarContext,
  db: CedarDb,
  id: string,
  codes: ReceiptCodes,
): Promise<Batch | null> {
  const row = await queries.lockDelivery(db, id)
  if (!row) return null
  const now = context.now()
  if (now >= deadlineOf(row)) {
    await expire(db, row)
    return null
  }
  const retries = await queries.dueRetries(db, id, new Date(now).toISOString(), batchSize)
  if (retries.length > 0) {
    await queries.planBatch(db, id, { devices: retries })
    return batchOf(context, db, row, retries, codes)
  }
  if (!row.is_each_tried) {
    const devices = await queries.nextDevices(db, row, batchSize)
    const isEachTried = devices.length < batchSize
    if (devices.length > 0) {
      await queries.planBatch(db, id, { devices, triedThrough: devices.at(-1), isEachTried })
      return batchOf(context, db, row, devices, codes)
    }
  }
  const nextAt = await queries.nextRetryAt(db, id)
  if (nextAt !== null) await sendLater(context, db, row, new Date(nextAt))
  else if (row.sent > 0) await queries.endDelivery(db, id, 'sent')
  else if (row.failed > 0) await queries.endDelivery(db, id, 'failed')
  else await queries.endDelivery(db, id, 'not_sent', 'no_devices')
  return null
}

const deadlineOf = (row: DeliveryRow): number => Date.parse(row.tried_until ?? '')

async function expire(db: CedarDb, row: DeliveryRow): Promise<void> {
  const { id } = row
  const given = await queries.giveUpRetries(db, id)
  if (given > 0) {
    await queries.endBatch(db, id, { sent: 0, failures: { expired: given }, isPause: false })
    await count(db, row, 0, given)
  }
  await queries.endDelivery(db, id, row.is_each_tried && row.sent > 0 ? 'sent' : 'expired')
}

async function sendLater(
  { jobs }: CedarContext,
  db: CedarDb,
  { id, provider_id: owner }: DeliveryRow,
  runAt: Date,
) {
  await setJob(db, id, await jobs.enqueue(db, 'notification.send', { id }, { owner, runAt }))
}

const count = (db: CedarDb, row: DeliveryRow, sent: number, failed: number) =>
  addToHour(db, {
    productId: row.product_id,
    providerId: row.provider_id,
    at: null,
    counts: { sent, failed },
  })

async function batchOf(
  { config, now }: CedarContext,
  db: CedarDb,
  row: DeliveryRow,
  devices: readonly string[],
  codes: ReceiptCodes,
): Promise<Batch> {
  // Devices unregistered meanwhile are left out.
  const targets = await findTargets(db, devices)
  const links = linksOf(row, config.publicUrl)
  const expiresAt = row.expires_at === null ? null : Math.floor(Date.parse(row.expires_at) / 1000)
  const expirySeconds =
    expiresAt === null ? null : Math.max(1, expiresAt - Math.floor(now() / 1000))
  return {
    number: row.batch,
    messages: targets.map((target) =>
      messageFor(target, row.translations, {
        notificationId: row.id,
        productId: row.product_id,
        receipt: codes.make(row.id, target.id),
        expirySeconds,
        expiresAt,
        ...links,
      }),
    ),
  }
}

/** A product's link opens by its URL, and by its id in host apps that support it. */
export const linksOf = (
  { link, link_id: linkId }: Pick<DeliveryRow, 'link' | 'link_id'>,
  publicUrl: string | undefined,
) =>
  link === productLink
    ? { link: publicUrl && linkId !== null ? `${publicUrl}/${linkId}` : null, linkId }
    : { link, linkId: null }

export const messageFor = (
  { id: deviceId, token, platform, locale_code: locale }: TargetRow,
  translations: DeliveryRow['translations'],
  facts: Parameters<typeof messageOf>[1],
): PushMessage => ({
  deviceId,
  token,
  platform,
  locale,
  body: messageOf(
    textFor(translations, locale) ?? { localeCode: defaultLocale, title: '', body: '' },
    facts,
  ),
})

interface Ended {
  id: string
  number: number
  outcomes: readonly Outcome[]
  codes: ReceiptCodes
  progress: JobRun['progress']
}

/** Counts the outcome of a batch and plans the next, in one transaction. */
async function end(context: CedarContext, db: CedarDb, ended: Ended): Promise<Batch | null> {
  const { id, number, outcomes, codes, progress } = ended
  const row = await queries.lockDelivery(db, id)
  // Another process took over the job and finished this batch.
  if (!row || row.state !== 'sending' || row.batch !== number) return null
  const of = <R extends Outcome['result']>(result: R) =>
    outcomes.filter((each): each is Extract<Outcome, { result: R }> => each.result === result)
  const [taken, dead, refused, later] = [of('taken'), of('dead'), of('refused'), of('later')]
  const tried = later.filter(({ reason }) => reason !== stopped)
  const now = context.now()
  const pauseMs = pauseOf(row, outcomes.length, tried)
  const dueAt = (each: (typeof later)[number]) => {
    const delay = each.reason === stopped ? 0 : (pauseMs ?? each.retryAfterMs ?? firstDelayMs)
    return new Date(now + delay).toISOString()
  }
  await queries.dropRetries(
    db,
    id,
    [...taken, ...dead, ...refused].map(({ deviceId }) => deviceId),
  )
  const givenUp = await queries.keepRetries(
    db,
    id,
    later.map((each) => ({
      deviceId: each.deviceId,
      reason: each.reason,
      dueAt: dueAt(each),
      // The transport itself was unreachable, which says nothing about the message.
      isTried: each.reason !== stopped && pauseMs === undefined,
    })),
    maxTries,
  )
  const failures = tally([...[...dead, ...refused].map(({ reason }) => reason), ...givenUp])
  const failed = dead.length + refused.length + givenUp.length
  if (dead.length > 0) await queries.deleteDead(db, dead)
  await queries.endBatch(db, id, { sent: taken.length, failures, isPause: pauseMs !== undefined })
  if (taken.length + failed > 0) await count(db, row, taken.length, failed)
  progress(row.sent + row.failed + taken.length + failed, row.devices ?? 0)
  if (pauseMs === undefined) return plan(context, db, id, codes)
  await sendLater(context, db, row, new Date(Math.min(now + pauseMs, deadlineOf(row))))
  return null
}

/**
 * The pause in sending: if the transport asks for one for all messages, or accepts hardly any. Its
 * delay is respected, and doubled for each consecutive pause.
 */
function pauseOf(
  { pauses }: DeliveryRow,
  all: number,
  later: readonly Extract<Outcome, { result: 'later' }>[],
): number | undefined {
  if (!later.some(({ isForAll }) => isForAll) && later.length * 2 <= all) return undefined
  const asked = Math.max(0, ...later.map(({ retryAfterMs = 0 }) => retryAfterMs))
  return Math.max(asked, Math.min(firstDelayMs * 2 ** pauses, maxDelayMs))
}

function tally(reasons: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const reason of reasons) counts[reason] = (counts[reason] ?? 0) + 1
  return counts
}

/**
 * Finishes or resumes notifications whose job ended without them: cancelled by an administrator,
 * given up, or deleted.
 */
export async function settleNotifications(context: CedarContext): Promise<void> {
  for (const { id, job } of await queries.findStranded(context.db))
    await inTransaction(context, async (db) => {
      const row = await queries.lockDelivery(db, id)
      if (row?.state !== 'scheduled' && row?.state !== 'sending') return
      if (job === 'cancelled' || job === 'failed')
        await queries.endDelivery(db, id, job === 'cancelled' ? 'cancelled' : 'failed')
      else await sendLater(context, db, row, new Date(context.now()))
    })
}
