import { randomUUID } from 'node:crypto'
import type { BodyOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Actor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { record, type CedarContext } from '../context.ts'
import { getProduct } from '../product/product.service.ts'
import { findTestDevices } from '../push-device/push-device.queries.ts'
import { linksOf, messageFor } from './delivery.service.ts'
import { checkBytes, checkLink, checkTexts } from './notification.rules.ts'
import { receiptCodes } from './receipt.service.ts'

type Test = Calls['POST /api/notification/test']

/**
 * Sends a text to the test devices and returns each outcome. It is not part of the history or the
 * counts.
 */
export async function sendTest(
  context: CedarContext,
  actor: Actor,
  { productId, ...given }: BodyOf<Test>,
): Promise<ResponseOf<Test>> {
  const { db, push, config } = context
  const translations = checkTexts(given.translations)
  const { linkId } = await getProduct(context, actor, { id: productId })
  const link = checkLink(given.link, linkId)
  checkBytes(translations, { link, expirySeconds: null })
  if (push === null)
    throw new ProblemError(
      'push_unavailable',
      'No transport for notifications is set up on this platform. Its operator can set one up.',
    )
  const devices = await findTestDevices(db, productId)
  if (devices.length === 0)
    throw new ProblemError(
      'no_test_devices',
      'The app has no test devices. Mark one of its devices first.',
    )
  const notificationId = randomUUID()
  const codes = receiptCodes(context.receiptSecret)
  const messages = devices.map((device) =>
    messageFor(device, translations, {
      notificationId,
      productId,
      receipt: codes.make(notificationId, device.id),
      expirySeconds: null,
      expiresAt: null,
      ...linksOf({ link, link_id: linkId }, config.publicUrl),
    }),
  )
  await record(db, actor, 'notification.test', productId, {
    after: { translations, link, devices: devices.length },
  })
  const outcomes = await push.send(
    { key: `test.${notificationId}`, messages },
    new AbortController().signal,
  )
  return {
    results: devices.map(({ id, name }) => {
      const outcome = outcomes.find(({ deviceId }) => deviceId === id)
      const isSent = outcome?.result === 'taken'
      return {
        deviceId: id,
        name,
        isSent,
        reason: outcome && 'reason' in outcome ? outcome.reason : null,
      }
    }),
  }
}
