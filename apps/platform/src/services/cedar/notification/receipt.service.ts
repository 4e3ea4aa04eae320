import { createHmac, timingSafeEqual } from 'node:crypto'
import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Actor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import type { CedarContext } from '../context.ts'
import { insertReceipts, type Receipt } from './receipt.queries.ts'

const idBytes = 16
const macBytes = 12
const bytesOf = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex')
const uuidOf = (bytes: Buffer) =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

export interface ReceiptCodes {
  make: (notificationId: string, deviceId: string) => string
  /** Undefined for a forged code. */
  read: (code: string) => { notificationId: string; deviceId: string } | undefined
}

/**
 * The signed codes that messages carry and devices report with: which notification and which device.
 * So nobody can report what was not sent to them, and sending writes no row per device.
 */
export function receiptCodes(key: string): ReceiptCodes {
  const macOf = (ids: Buffer) =>
    createHmac('sha256', key).update(ids).digest().subarray(0, macBytes)
  return {
    make(notificationId, deviceId) {
      const ids = Buffer.concat([bytesOf(notificationId), bytesOf(deviceId)])
      return Buffer.concat([ids, macOf(ids)]).toString('base64url')
    },
    read(code) {
      const bytes = Buffer.from(code, 'base64url')
      const ids = bytes.subarray(0, 2 * idBytes)
      const mac = bytes.subarray(2 * idBytes)
      if (mac.length !== macBytes || !timingSafeEqual(mac, macOf(ids))) return undefined
      return {
        notificationId: uuidOf(ids.subarray(0, idBytes)),
        deviceId: uuidOf(ids.subarray(idBytes)),
      }
    },
  }
}

// Per statement.
const maxTogether = 500

/**
 * Writes receipts in batches: those that arrive during a write form the next one. Thousands of
 * devices open a notification within the same second, and each would wait for its counters.
 */
export function receiptWriter(context: CedarContext): (receipt: Receipt) => Promise<void> {
  let waiting: Receipt[] = []
  let next: Promise<void> | undefined
  let last: Promise<unknown> = Promise.resolve()

  const write = async (before: Promise<unknown>) => {
    await before.catch(() => {})
    const receipts = waiting
    waiting = []
    next = undefined
    for (let at = 0; at < receipts.length; at += maxTogether)
      await context.db
        .transaction()
        .execute((db) => insertReceipts(db, receipts.slice(at, at + maxTogether)))
  }
  return (receipt) => {
    waiting.push(receipt)
    if (next === undefined) {
      next = write(last)
      last = next
    }
    return next
  }
}

/** @throws ProblemError `not_found` for a receipt that no message carried. */
export async function reportReceipt(
  { codes, write }: { codes: ReceiptCodes; write: (receipt: Receipt) => Promise<void> },
  _actor: Actor,
  { receipt, event }: BodyOf<Calls['POST /api/notification/receipt']>,
): Promise<void> {
  const read = codes.read(receipt)
  if (!read) throw new ProblemError('not_found', 'No message carried this receipt.')
  await write({ ...read, isOpened: event === 'opened' })
}
