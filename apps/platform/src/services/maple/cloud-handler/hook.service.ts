import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { mostWaiting } from '@grove/contract/maple/handler.rules'
import { ProblemError } from '../../../core/http/problem.ts'
import type { KeyContext } from '../key/key-provider.ts'
import { hookSecretName } from '../secret/secret.queries.ts'
import { openSecrets } from '../secret/secret.service.ts'
import { findHook } from './cloud-handler.queries.ts'
import { countWaiting, insertRun } from './handler-run.queries.ts'
import type { HandlerRunner } from './handler-runner.ts'

interface Request {
  key: string
  query: Readonly<Record<string, unknown>>
  headers: IncomingHttpHeaders
  body: Buffer
}

type Context = KeyContext & { handlers: HandlerRunner; waitOf: (key: string) => number }

/** How old a signed request may be, either way. */
const signedForSeconds = 300

/**
 * Takes a request to a webhook: it is stored before it is answered, and runs afterwards. One that is
 * sent again with the same id is answered with the same delivery. An address that is wrong and one
 * without proof are answered alike.
 * @throws ProblemError `unauthorized`, `too_many_attempts` or `limit_reached`.
 */
export async function takeHook(context: Context, request: Request): Promise<{ id: string }> {
  const { db, now, handlers } = context
  const { key, query, headers, body } = request
  const hook = await findHook(db, key)
  if (hook?.trigger.type !== 'webhook') throw refused()
  const wait = context.waitOf(hook.id)
  if (wait > 0)
    throw new ProblemError('too_many_attempts', 'This webhook is called too often.', {
      retryAfter: Math.ceil(wait / 1000),
    })
  const name = hookSecretName()
  const secret = (await openSecrets(context, { type: 'handler', id: hook.id }, name)).get(name)
  const isProven =
    secret !== undefined &&
    (hook.trigger.proof === 'token'
      ? hasToken(headers, secret)
      : isSigned(headers, { body, secret, seconds: Math.floor(now() / 1000) }))
  if (!isProven) throw refused()
  if (hook.isFull || (await countWaiting(db, hook.id, mostWaiting)) >= mostWaiting)
    throw new ProblemError('limit_reached', 'Too many deliveries wait already. Try again later.', {
      retryAfter: 60,
    })
  const given = idOf(headers)
  const id = await insertRun(db, {
    handlerId: hook.id,
    source: 'webhook',
    type: 'webhook',
    key: given === undefined ? null : `hook:${createHash('sha256').update(given).digest('hex')}`,
    event: {
      at: new Date(now()).toISOString(),
      query,
      headers: shownHeaders(headers),
      body: bodyOf(headers, body),
    },
    mostAttempts: hook.attempts,
  })
  handlers.nudge()
  return { id }
}

const refused = () =>
  new ProblemError('unauthorized', 'There is no such webhook, or its proof is missing or wrong.')

const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)

/** By their hashes, which are of one length. */
function isSame(given: string, known: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(known))
}

function hasToken({ authorization, 'x-grove-token': token }: IncomingHttpHeaders, secret: string) {
  const bearer = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1]
  return isSame(first(token) ?? bearer ?? '', secret)
}

interface Signed {
  body: Buffer
  secret: string
  seconds: number
}

/**
 * `grove-signature: t=<seconds>,v1=<HMAC-SHA256 of "t.body" in hex>`, which cannot be repeated later,
 * or `x-hub-signature-256: sha256=<HMAC-SHA256 of the body in hex>`, as GitHub and others send it.
 */
function isSigned(headers: IncomingHttpHeaders, { body, secret, seconds }: Signed): boolean {
  const hmac = () => createHmac('sha256', secret)
  const own = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/i.exec(first(headers['grove-signature']) ?? '')
  if (own) {
    const [, at = '', signature = ''] = own
    const isFresh = Math.abs(Number(at) - seconds) <= signedForSeconds
    const expected = hmac().update(`${at}.`).update(body).digest('hex')
    return isFresh && isSame(signature.toLowerCase(), expected)
  }
  const hub = /^sha256=([0-9a-f]{64})$/i.exec(first(headers['x-hub-signature-256']) ?? '')
  return hub !== null && isSame((hub[1] ?? '').toLowerCase(), hmac().update(body).digest('hex'))
}

/** What senders call a delivery, so that a repeat is known. */
const idOf = (headers: IncomingHttpHeaders): string | undefined =>
  [headers['idempotency-key'], headers['webhook-id'], headers['x-github-delivery']]
    .map((value) => first(value))
    .find((value) => value !== undefined && value !== '')

/** Those that say what was sent; never those that prove who did. */
const shownHeaders = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(
        ([name]) =>
          /^(content-type|user-agent|webhook-id|x-.+)$/.test(name) &&
          !/signature|token|secret|key|auth|forwarded|real-ip/.test(name),
      )
      .slice(0, 30)
      .map(([name, value]) => [name, String(first(value)).slice(0, 500)]),
  )

/** JSON as it is; a form as its fields; anything else as text. */
function bodyOf(headers: IncomingHttpHeaders, body: Buffer): unknown {
  const text = body.toString('utf8')
  const type = (headers['content-type'] ?? '').toLowerCase()
  if (type.includes('json')) {
    try {
      return JSON.parse(text)
    } catch {
      return text
    }
  }
  return type.startsWith('application/x-www-form-urlencoded')
    ? Object.fromEntries(new URLSearchParams(text))
    : text
}
