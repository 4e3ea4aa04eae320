import { isRecord } from '../../session/jws.ts'
import type { Claims } from '../../session/token.ts'
import { nameOf, type Answer } from './answer.ts'
import type { Context } from './context.ts'
import { listOf } from './cors-rules.ts'
import type { Report } from './finding.ts'

/** The client's limit, in milliseconds. */
const limit = 5000

/** Loads and judges the published keys; null if none can verify a token. */
export async function loadKeys({
  browser,
  report,
  options,
}: Context): Promise<readonly Claims[] | null> {
  const { jwksUrl, url } = options
  if (jwksUrl === undefined) {
    report.skipped(
      'keys',
      'GET the keys',
      'The signature: give --jwks, such as /.well-known/jwks.json',
    )
    return null
  }
  // Unlike a call's URL, it is relative to the origin of the service (`keysOf` of the client).
  const address = new URL(jwksUrl, url).href
  const call = { method: 'GET', path: address, isPlain: true } as const
  const answer = await browser.send({ ...call, limit: Math.min(limit, options.timeout ?? limit) })
  const keys = readKeys(report, answer)
  if (keys === null) return null
  judgeKeys(report, answer.call, keys)
  judgeCaching(report, answer, browser.isForeign(answer.url))
  return keys
}

function readKeys(report: Report, answer: Answer): readonly Claims[] | null {
  const { call, status, body } = answer
  const found = Object(body) as { keys?: unknown }
  const isSet = Array.isArray(found.keys) && found.keys.every(isRecord)
  if (status >= 200 && status < 300 && isSet && (found.keys as Claims[]).length > 0)
    return found.keys as Claims[]
  report.wrong(
    'keys',
    call,
    `The keys were answered ${nameOf(answer)}`,
    'Answer 200 with a JWKS: { "keys": [{ "kty", "kid", … }] }',
  )
  return null
}

function judgeKeys(report: Report, call: string, keys: readonly Claims[]): void {
  if (keys.some((key) => 'd' in key || 'k' in key))
    report.wrong(
      'private_key',
      call,
      'The JWKS has a private or secret key (d or k): everybody can sign tokens with it',
      'Publish the public half alone, and replace the key',
    )
}

function judgeCaching(report: Report, { call, headers }: Answer, isForeign: boolean): void {
  const rules = listOf(headers.get('cache-control'))
  const maxAge = Number(rules.find((rule) => rule.startsWith('max-age='))?.slice(8) ?? Number.NaN)
  const right = 'Send Cache-Control: max-age=300'
  if (rules.includes('no-store'))
    report.warning('keys_cache', call, 'The keys may not be cached: each page loads them', right)
  if (maxAge > 86_400)
    report.warning(
      'keys_cache',
      call,
      `The keys are cached for ${Math.round(maxAge / 3600)} h: a new key is not seen that long`,
      right,
    )
  const isOfOne = isForeign && (headers.get('access-control-allow-origin') ?? '*') !== '*'
  if (isOfOne && maxAge > 0 && !listOf(headers.get('vary')).includes('origin'))
    report.warning(
      'keys_vary',
      call,
      'The keys are cached with the Access-Control-Allow-Origin of one page, and served to others',
      'Send Access-Control-Allow-Origin: * with the keys, or Vary: Origin',
    )
}
