import { createHmac } from 'node:crypto'
import { objectOf, PostError, retryAfterMs, type Answer, type Connections } from './post-json.ts'
import type { PushSettings } from './push-settings.ts'
import { stopped, type Outcome, type PushBatch, type PushTransport } from './push-transport.ts'

const largestAnswer = 1024 * 1024
const maxReasonLength = 60

/**
 * The operator's own server. A batch is one request, signed over the time and the body:
 *
 *     POST <address>
 *     idempotency-key: <the same when the batch is repeated>
 *     grove-signature: t=<seconds>,v1=<HMAC-SHA256 of "t.body" in hex>
 *     { "id": key, "messages": [{ "deviceId", "token", "platform", "locale", "message": {…} }] }
 *
 * It answers 2xx with an empty body if it accepts all, or `{ "results": [{ "deviceId", "status":
 * "taken" | "dead" | "refused" | "later", "reason"? }] }`.
 */
export function webhookTransport(
  settings: Extract<PushSettings, { kind: 'webhook' }>,
  connections: Connections,
  now: () => number,
): PushTransport {
  const url = new URL(settings.url)
  const sendAll = async ({ key, messages }: PushBatch): Promise<Outcome[]> => {
    const all = (rest: { reason: string; retryAfterMs?: number | undefined }): Outcome[] =>
      messages.map(({ deviceId }) => ({ deviceId, result: 'later', isForAll: true, ...rest }))
    const body = JSON.stringify({
      id: key,
      messages: messages.map(({ body: message, ...device }) => ({ ...device, message })),
    })
    const seconds = Math.floor(now() / 1000)
    try {
      const answer = await connections.post(url, body, {
        headers: {
          'content-type': 'application/json',
          'idempotency-key': key,
          'grove-signature': `t=${seconds},v1=${signatureOf(settings.secret, seconds, body)}`,
        },
        largestAnswer,
      })
      const { status, headers } = answer
      if (status >= 200 && status < 300)
        return resultsOf(messages, answer) ?? all({ reason: 'bad_answer' })
      const reason =
        status === 429 ? 'rate_limited' : status >= 500 ? 'unavailable' : 'unauthorized'
      return all({ reason, retryAfterMs: retryAfterMs(headers, now()) })
    } catch (error) {
      if (error instanceof PostError) return all({ reason: error.reason })
      throw error
    }
  }
  return {
    name: 'webhook',
    send: async (batch, signal) =>
      signal.aborted
        ? batch.messages.map(({ deviceId }) => ({ deviceId, result: 'later', reason: stopped }))
        : sendAll(batch),
  }
}

export const signatureOf = (secret: string, seconds: number, body: string): string =>
  createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')

/** Undefined for an invalid response. A message that it omits is resent. */
function resultsOf(messages: PushBatch['messages'], { text }: Answer): Outcome[] | undefined {
  if (text.trim() === '') return messages.map(({ deviceId }) => ({ deviceId, result: 'taken' }))
  const results = objectOf(text)?.['results']
  if (!Array.isArray(results)) return undefined
  const found = new Map<unknown, { status?: unknown; reason?: unknown }>(
    results.map((each) => {
      const result = Object(each) as { deviceId?: unknown; status?: unknown; reason?: unknown }
      return [result.deviceId, result]
    }),
  )
  return messages.map(({ deviceId }): Outcome => {
    const { status, reason: given } = found.get(deviceId) ?? {}
    const reason =
      typeof given === 'string' && /^[\w .-]+$/.test(given)
        ? given.slice(0, maxReasonLength)
        : 'refused'
    switch (status) {
      case 'taken':
        return { deviceId, result: 'taken' }
      case 'dead':
        return { deviceId, result: 'dead', reason: 'unregistered' }
      case 'refused':
        return { deviceId, result: 'refused', reason }
      case 'later':
        return { deviceId, result: 'later', reason: 'unavailable' }
      default:
        return { deviceId, result: 'later', reason: 'bad_answer' }
    }
  })
}
