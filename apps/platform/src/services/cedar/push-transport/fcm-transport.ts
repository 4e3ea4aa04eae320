import { accessTokens, NoAccessTokenError } from './access-token.ts'
import { objectOf, PostError, retryAfterMs, type Answer, type Connections } from './post-json.ts'
import type { PushSettings } from './push-settings.ts'
import { stopped, type Outcome, type PushMessage, type PushTransport } from './push-transport.ts'

const largestAnswer = 64 * 1024
// FCM: "retry after a minute" if a 429 says nothing else.
const quotaMs = 60_000

/**
 * FCM's HTTP v1 API: one request per message, as many at once as there are connections.
 * https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send
 */
export function fcmTransport(
  settings: Extract<PushSettings, { kind: 'fcm' }>,
  connections: Connections,
  now: () => number,
): PushTransport {
  const { account } = settings
  const url = new URL(
    `${settings.url}/v1/projects/${encodeURIComponent(account.projectId)}/messages:send`,
  )
  const tokens = accessTokens(account, connections, now)

  async function sendOne(message: PushMessage, isSecond = false): Promise<Outcome> {
    const { deviceId } = message
    try {
      const token = await tokens.current()
      const body = JSON.stringify({ message: { token: message.token, ...message.body } })
      const answer = await connections.post(url, body, {
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        largestAnswer,
      })
      if (answer.status !== 401) return outcomeOf(deviceId, answer, now())
      tokens.drop(token)
      if (!isSecond) return await sendOne(message, true)
      return { deviceId, result: 'later', reason: 'unauthorized', isForAll: true }
    } catch (error) {
      if (error instanceof NoAccessTokenError)
        return { deviceId, result: 'later', reason: 'unauthorized', isForAll: true }
      if (error instanceof PostError) return { deviceId, result: 'later', reason: error.reason }
      throw error
    }
  }

  return {
    name: 'fcm',
    async send({ messages }, signal) {
      const outcomes: Outcome[] = []
      let next = 0
      // An FCM error about all messages applies to those that were not tried.
      let forAll: Extract<Outcome, { result: 'later' }> | undefined
      const work = async () => {
        for (;;) {
          const message = messages[next]
          next += 1
          if (!message) return
          const { deviceId } = message
          if (signal.aborted) outcomes.push({ deviceId, result: 'later', reason: stopped })
          else if (forAll) outcomes.push({ ...forAll, deviceId })
          else {
            const outcome = await sendOne(message)
            outcomes.push(outcome)
            if (outcome.result === 'later' && outcome.isForAll) forAll = outcome
          }
        }
      }
      await Promise.all(Array.from({ length: settings.connections }, work))
      return outcomes
    },
  }
}

/** FCM's error codes: its own `details[].errorCode`, otherwise the status of Google's APIs. */
function outcomeOf(deviceId: string, { status, headers, text }: Answer, now: number): Outcome {
  const answer = objectOf(text)
  if (status === 200)
    return typeof answer?.['name'] === 'string'
      ? { deviceId, result: 'taken' }
      : { deviceId, result: 'later', reason: 'bad_answer' }
  const error = answer?.['error']
  const code = codeOf(error)
  if (status === 404 && code === 'UNREGISTERED')
    return { deviceId, result: 'dead', reason: 'unregistered' }
  if (status === 400 && code === 'INVALID_ARGUMENT' && isAboutToken(error))
    return { deviceId, result: 'dead', reason: 'invalid_token' }
  if (status === 403 && code === 'SENDER_ID_MISMATCH')
    return { deviceId, result: 'refused', reason: 'sender_mismatch' }
  const after = retryAfterMs(headers, now)
  if (status === 429)
    return {
      deviceId,
      result: 'later',
      reason: 'rate_limited',
      retryAfterMs: after ?? quotaMs,
      isForAll: true,
    }
  if (status >= 500)
    return {
      deviceId,
      result: 'later',
      reason: 'unavailable',
      retryAfterMs: after,
      isForAll: after !== undefined,
    }
  // A project that may not send, or a URL that is not FCM's.
  if (status === 403 || status === 404)
    return { deviceId, result: 'later', reason: 'unauthorized', isForAll: true }
  return status >= 400 && status < 500
    ? { deviceId, result: 'refused', reason: 'refused' }
    : { deviceId, result: 'later', reason: 'bad_answer' }
}

interface GoogleError {
  status?: unknown
  message?: unknown
  details?: unknown
}

const detailsOf = (error: unknown): Record<string, unknown>[] => {
  const { details } = Object(error) as GoogleError
  return Array.isArray(details)
    ? details.map((each) => Object(each) as Record<string, unknown>)
    : []
}

function codeOf(error: unknown): string {
  const own = detailsOf(error).find(({ errorCode }) => typeof errorCode === 'string')
  const { status } = Object(error) as GoogleError
  const code = own?.['errorCode'] ?? status
  return typeof code === 'string' ? code : ''
}

/** FCM names the field, or mentions it only in the message. */
function isAboutToken(error: unknown): boolean {
  const fields = detailsOf(error)
    .flatMap(({ fieldViolations }) => (Array.isArray(fieldViolations) ? fieldViolations : []))
    .map((violation) => String((Object(violation) as { field?: unknown }).field))
  if (fields.length > 0) return fields.includes('message.token')
  const { message } = Object(error) as GoogleError
  return typeof message === 'string' && /registration token is not a valid/i.test(message)
}
