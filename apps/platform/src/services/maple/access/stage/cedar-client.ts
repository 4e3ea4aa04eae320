import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Value } from 'typebox/value'
import type { Calls } from '@grove/contract/calls'
import { stageCalls } from '@grove/contract/cedar/stage'
import type { ResponseOf } from '@grove/contract/call'
import { ProblemError } from '../../../../core/http/problem.ts'
import { readJson } from '../../../../core/json-depth.ts'
import type { CallContext, MapleContext } from '../../base/context.ts'
import type { MapleSettings } from '../../base/settings.ts'

export type Stage = ResponseOf<Calls['GET /api/provider/stage']>

/** The working stage that the requester, or their key, has in a provider. */
export type StageFinder = (
  request: FastifyRequest,
  providerId: string | undefined,
) => Promise<Stage | null>

const path = '/api/provider/stage'
/**
 * Revocations by a Cedar on this database take effect immediately. With a Cedar elsewhere, a revoked
 * key and a removed member keep their stage for this long.
 */
export const stageCacheMs = 30_000
const cacheSize = 10_000
const answerMs = 5_000

/** Asks Cedar on behalf of the caller, and caches what it grants for a while. */
export function openStages(
  app: FastifyInstance,
  {
    settings: { cedarUrl },
    services,
    now,
  }: MapleContext & CallContext & { settings: Pick<MapleSettings, 'cedarUrl'> },
): StageFinder {
  const ask = services.includes('cedar') ? askHere(app) : cedarUrl ? askThere(cedarUrl, app) : null
  const granted = new Map<string, { stage: Stage; until: number }>()
  /** Counts revocations: a response in flight may be older than the latest one. */
  let revoked = 0
  const stop = app.revocations.on(({ kind, subject }) => {
    revoked += 1
    const [, left] = kind === 'member' ? subject.split(' ') : [subject, subject]
    for (const [key, { stage }] of granted)
      if (stage.providerId === left || `key:${stage.keyId}` === left) granted.delete(key)
  })
  app.addHook('onClose', async () => stop())
  return async (request, providerId) => {
    const { authorization = '' } = request.headers
    const key = `${providerId} ${authorization}`
    const known = granted.get(key)
    if (known && known.until > now()) return known.stage
    granted.delete(key)
    if (!ask) throw unavailable('This Maple has no Cedar. Set CEDAR_URL to its URL.')
    const before = revoked
    const stage = await ask(request, providerId)
    // Refusals are not cached: the next request may come after a key was created.
    if (!stage) return null
    if (revoked !== before) return stage
    if (granted.size >= cacheSize) granted.delete(granted.keys().next().value ?? '')
    const { endsAt = null } = stage
    const end = endsAt === null ? Infinity : Date.parse(endsAt)
    granted.set(key, { stage, until: Math.min(now() + stageCacheMs, end) })
    return stage
  }
}

const queryOf = (providerId: string | undefined): Record<string, string> =>
  providerId === undefined ? {} : { providerId }

/** The same handler without the network. */
const askHere =
  (app: FastifyInstance): StageFinder =>
  async ({ headers, ip }, providerId) => {
    const answer = await app.inject({
      url: path,
      query: queryOf(providerId),
      headers: { authorization: headers.authorization, host: headers.host },
      remoteAddress: ip,
    })
    return readStage(answer.statusCode, () => answer.json())
  }

const askThere =
  (cedarUrl: string, { apiVersions }: FastifyInstance): StageFinder =>
  async ({ headers }, providerId) => {
    const url = new URL(cedarUrl.replace(/\/$/, '') + path)
    url.search = new URLSearchParams(queryOf(providerId)).toString()
    try {
      const answer = await fetch(url, {
        headers: {
          authorization: headers.authorization ?? '',
          'api-version': apiVersions['cedar'] ?? '',
        },
        signal: AbortSignal.timeout(answerMs),
        redirect: 'error',
      })
      const body = readJson(await answer.text())
      return readStage(answer.status, () => body)
    } catch (cause) {
      if (cause instanceof ProblemError) throw cause
      throw unavailable(noAnswer, cause)
    }
  }

const noAnswer = 'Cedar, which knows the working stages, is not responding. Try again shortly.'

/** Only a valid response grants a stage; every refusal looks the same to the caller. */
function readStage(status: number, body: () => unknown): Stage | null {
  if (status >= 500 || status === 429) throw unavailable(noAnswer)
  if (status !== 200) return null
  const stage = body()
  if (!Value.Check(stageCalls['GET /api/provider/stage'].response, stage))
    throw unavailable(noAnswer)
  return stage
}

const unavailable = (detail: string, cause?: unknown) =>
  new ProblemError('stage_unavailable', detail, { retryAfter: 5, cause })
