import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { maxWaiting } from '@grove/contract/maple/program/handler.rules'
import { tooDeep } from '../../../../core/http/json-body.ts'
import { networksOf } from '../../../../core/http/network.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { DeepJsonError, readJson } from '../../../../core/json-depth.ts'
import type { RateLimit } from '../../../../core/rate-limit.ts'
import type { KeyContext } from '../../card/key/key-provider.ts'
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
  ip: string
}

type Context = KeyContext & {
  handlers: HandlerRunner
  /** Deliveries of one webhook, which count once they are proven. */
  waitOfHook: (key: string) => number
  /** Requests of one network that prove nothing. */
  waitOfStranger: RateLimit
}

/** How old a signed request may be, either way. */
const signedForSeconds = 300

/**
 * Accepts a webhook request: it is stored before it is answered, and runs afterwards. A repeat with
 * the same id or signature returns the same delivery. A wrong URL and a missing proof get the same
 * answer.
 * @throws ProblemError `unauthorized`, `invalid_request`, `too_many_attempts` or `limit_reached`.
 */
export async function takeHook(context: Context, request: Request): Promise<{ id: string }> {
  const { db, now, handlers, waitOfStranger } = context
  const { key, query, headers, body, ip } = request
  const networks = networksOf(ip)
  refuseWhile(
    Math.max(...networks.map((network) => waitOfStranger.peek(network))),
    'Too many unauthenticated requests from this network.',
  )
  const hook = await findHook(db, key)
  const proof =
    hook?.trigger.type === 'webhook' && (await proofOf(context, request, hook.trigger, hook.id))
  if (!hook || !proof) {
    for (const network of networks) waitOfStranger(network)
    throw refused()
  }
  refuseWhile(context.waitOfHook(hook.id), 'This webhook is called too often.')
  if (hook.isFull || (await countWaiting(db, hook.id, maxWaiting)) >= maxWaiting)
    throw new ProblemError(
      'limit_reached',
      'Too many deliveries are already waiting. Try again later.',
      {
        retryAfter: 60,
      },
    )
  const given = idOf(headers)
  const id = await insertRun(db, {
    handlerId: hook.id,
    source: 'webhook',
    type: 'webhook',
    key: given === undefined ? null : `hook:${createHash('sha256').update(given).digest('hex')}`,
    proof: proof.nonce,
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

function refuseWhile(wait: number, detail: string): void {
  if (wait > 0)
    throw new ProblemError('too_many_attempts', detail, { retryAfter: Math.ceil(wait / 1000) })
}

interface Proof {
  /** From a signature, which is specific to its request; a token is the same in every request. */
  nonce: string | null
}

async function proofOf(
  context: Context,
  { headers, body }: Request,
  { proof }: { proof: 'token' | 'hmac' },
  id: string,
): Promise<Proof | undefined> {
  const name = hookSecretName()
  const secret = (await openSecrets(context, { type: 'handler', id }, name)).get(name)
  if (secret === undefined) return undefined
  if (proof === 'token') return hasToken(headers, secret) ? { nonce: null } : undefined
  const nonce = signatureOf(headers, { body, secret, seconds: Math.floor(context.now() / 1000) })
  return nonce === undefined ? undefined : { nonce }
}

const refused = () =>
  new ProblemError(
    'unauthorized',
    'There is no such webhook, or its token or signature is missing or wrong.',
  )

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
 * The identity of a correctly signed request: `grove-signature: t=<seconds>,v1=<HMAC-SHA256 of
 * "t.body" in hex>`, which expires with its time, or `x-hub-signature-256: sha256=<HMAC-SHA256 of the
 * body in hex>`, as GitHub and others send it, which has none.
 */
function signatureOf(
  headers: IncomingHttpHeaders,
  { body, secret, seconds }: Signed,
): string | undefined {
  const hmac = () => createHmac('sha256', secret)
  const own = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/i.exec(first(headers['grove-signature']) ?? '')
  if (own) {
    const [, at = '', signature = ''] = own
    const isFresh = Math.abs(Number(at) - seconds) <= signedForSeconds
    const expected = hmac().update(`${at}.`).update(body).digest('hex')
    return isFresh && isSame(signature.toLowerCase(), expected) ? expected : undefined
  }
  const hub = /^sha256=([0-9a-f]{64})$/i.exec(first(headers['x-hub-signature-256']) ?? '')
  const expected = hmac().update(body).digest('hex')
  if (hub === null || !isSame((hub[1] ?? '').toLowerCase(), expected)) return undefined
  // Without a time, two identical events have the same signature: it is remembered for the same
  // period.
  return `${expected} ${Math.floor(seconds / signedForSeconds)}`
}

/** Delivery ids of senders, to recognise repeats. */
const idOf = (headers: IncomingHttpHeaders): string | undefined =>
  [headers['idempotency-key'], headers['webhook-id'], headers['x-github-delivery']]
    .map((value) => first(value))
    .find((value) => value !== undefined && value !== '')

/** Headers about the content; never those that authenticate the sender. */
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
      return readJson(text)
    } catch (error) {
      if (error instanceof DeepJsonError) throw tooDeep()
      return text
    }
  }
  return type.startsWith('application/x-www-form-urlencoded')
    ? Object.fromEntries(new URLSearchParams(text))
    : text
}
