import {
  createRemoteJWKSet,
  customFetch,
  decodeProtectedHeader,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
} from 'jose'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTokenVerifier } from '../../../../core/http/access.ts'
import { buildApp } from '../../../../core/http/app.ts'
import { readSecret } from '../../../../core/secret.ts'
import { StartupError } from '../../../../core/startup-error.ts'
import { auth } from '../../index.ts'
import type { IssuedToken } from '../../session/parts/start-session.ts'
import { startAuthServer, tokenOf, type AuthServer } from '../../testing/auth-server.ts'
import { listKeys, resealSecrets, retireKey, rotateKeys } from './key-commands.ts'
import { openKeyRing } from './key-ring.ts'
import { reloadMs, rotatedBefore } from './key-periods.ts'

let server: AuthServer
let secret: string
beforeEach(async () => {
  server = await startAuthServer()
  secret = await readSecret(server.platform.config)
})
afterEach(async () => {
  vi.useRealTimers()
  await server.close()
})

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const rotate = () => rotateKeys(server.db, secret, server.platform.now())
const retire = (kid: string) => retireKey(server.db, secret, kid, server.platform.now())
const list = () => listKeys(server.db, server.platform.now())
const newToken = async () => (await server.account()).token.accessToken
const kidOf = (token: string) => decodeProtectedHeader(token).kid ?? ''
const published = async () =>
  (await server.get('/.well-known/jwks.json')).json<JSONWebKeySet>().keys.map((key) => key.kid)
const userInfo = async (accessToken: string) => {
  const headers = { authorization: `Bearer ${accessToken}` }
  return (await server.app.inject({ url: '/api/user/info', headers })).statusCode
}

/** The worst-case verifier: jose's cache on top of a browser's, and no refetch for a new key id. */
function cachingKeys(): JWTVerifyGetKey {
  let kept: { until: number; body: string } | undefined
  return createRemoteJWKSet(new URL('http://grove.test/.well-known/jwks.json'), {
    cooldownDuration: Number.POSITIVE_INFINITY,
    [customFetch]: async () => {
      if (!kept || kept.until <= Date.now()) {
        const answer = await server.get('/.well-known/jwks.json')
        const maxAge = Number(/max-age=(\d+)/.exec(String(answer.headers['cache-control']))?.[1])
        kept = { until: Date.now() + maxAge * 1000, body: answer.body }
      }
      return new Response(kept.body, { headers: { 'content-type': 'application/json' } })
    },
  })
}

test('point 19: a rotation by hand loses no request of clients whose verifiers cache the keys @long', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: server.platform.now() })
  const { tokens: rules, realm } = server.platform.config
  const verifiers = Array.from({ length: 3 }, () =>
    createTokenVerifier({ keys: cachingKeys(), rules, realm, now: server.platform.now }),
  )
  const clients: { token: IssuedToken; since: number }[] = []
  const signers = new Set<string>()
  let requests = 0
  for (let passed = 0; passed < 2 * hour; passed += 30_000) {
    if (clients.length < 4) {
      const { token } = await server.account()
      clients.push({ token, since: server.platform.now() })
    }
    if (passed === 20 * minute) expect((await rotate()).isChanged).toBe(true)
    for (const client of clients) {
      if (server.platform.now() - client.since >= 9.5 * minute) {
        client.token = tokenOf(await server.refresh(client.token.refreshToken))
        client.since = server.platform.now()
      }
      signers.add(kidOf(client.token.accessToken))
      for (const [index, verify] of verifiers.entries()) {
        // They refetch the keys at different times.
        if (passed < index * 4 * minute) continue
        await verify(client.token.accessToken)
        requests++
      }
    }
    server.pass(30_000)
    vi.setSystemTime(server.platform.now())
  }
  expect(signers.size).toBe(2)
  expect(requests).toBeGreaterThan(2000)
})

test('point 19: a new key is public at once, signs once every cache has it, and is not created twice', async () => {
  const first = kidOf(await newToken())
  const { kid, signsFrom } = await rotate()
  expect(signsFrom - server.platform.now()).toBe(rotatedBefore)
  expect(await rotate()).toMatchObject({ kid, signsFrom, isChanged: false })
  expect(await list()).toMatchObject([
    { kid: first, state: 'signs', signsUntil: signsFrom, publicUntil: signsFrom + hour },
    { kid, state: 'next', signsFrom, signsUntil: null, publicUntil: null },
  ])
  server.pass(reloadMs)
  expect(await published()).toEqual([first, kid])
  expect(kidOf(await newToken())).toBe(first)

  server.pass(rotatedBefore - reloadMs)
  expect(kidOf(await newToken())).toBe(kid)
  expect((await list()).map(({ state }) => state)).toEqual(['retired', 'signs'])
  server.pass(hour)
  expect(await published()).toEqual([kid])
})

test('point 19: a key that the schedule has already created signs sooner, instead of a third one', async () => {
  await newToken()
  server.pass(29 * day + minute)
  const [, scheduled] = await published()
  expect(await rotate()).toMatchObject({ kid: scheduled, isChanged: true })
  server.pass(rotatedBefore)
  expect(kidOf(await newToken())).toBe(scheduled)
  expect(await list()).toHaveLength(2)
})

test('point 19: two processes that rotate at once create one key', async () => {
  await newToken()
  const answers = await Promise.all([rotate(), rotate(), rotate()])
  expect(new Set(answers.map(({ kid }) => kid)).size).toBe(1)
  expect(answers.filter(({ isChanged }) => isChanged)).toHaveLength(1)
  expect(await list()).toHaveLength(2)
})

test('point 19: a stolen key is removed: every process refuses its tokens within a minute, people stay signed in', async () => {
  const other = await buildApp({ ...server.platform }, [auth])
  const { token } = await server.account()
  const stolen = kidOf(token.accessToken)
  expect(await userInfo(token.accessToken)).toBe(200)
  await other.verifyAccessToken(token.accessToken)

  const { signer } = await retire(stolen)
  expect(signer).not.toBe(stolen)
  expect(await list()).toMatchObject([{ kid: signer, state: 'signs' }])

  server.pass(minute)
  // Neither signs or publishes meanwhile; one that only verifies has to notice as well.
  expect(await userInfo(token.accessToken)).toBe(401)
  await expect(other.verifyAccessToken(token.accessToken)).rejects.toThrow()
  const renewed = tokenOf(await server.refresh(token.refreshToken))
  expect(kidOf(renewed.accessToken)).toBe(signer)
  expect(await userInfo(renewed.accessToken)).toBe(200)
  await other.verifyAccessToken(renewed.accessToken)
  expect(await published()).toEqual([signer])
  await other.close()
})

test('point 19: a stolen key is replaced by the one already public, never by an earlier one', async () => {
  const first = kidOf(await newToken())
  const second = (await rotate()).kid
  server.pass(rotatedBefore)
  const third = (await rotate()).kid
  expect((await list()).map(({ kid, state }) => [kid, state])).toEqual([
    [first, 'retired'],
    [second, 'signs'],
    [third, 'next'],
  ])
  expect(await retire(second)).toEqual({ signer: third })
  expect((await list()).map(({ kid, state }) => [kid, state])).toEqual([
    [first, 'retired'],
    [third, 'signs'],
  ])
  expect(await retire(first)).toEqual({ signer: third })
  await expect(retire(first)).rejects.toThrow(`There is no key ${first}. Published now: ${third}.`)
})

test('another secret changes nothing, since the servers could not open its keys', async () => {
  await newToken()
  const before = await list()
  const now = server.platform.now()
  for (const change of [
    rotateKeys(server.db, 'another secret', now),
    retireKey(server.db, 'another secret', before[0]?.kid ?? '', now),
  ])
    await expect(change).rejects.toThrow(StartupError)
  expect(await list()).toEqual(before)
})

test('each change of keys leaves an event', async () => {
  const first = kidOf(await newToken())
  const { kid } = await rotate()
  await rotate()
  await retire(first)
  const { rows } = await sql`
    select action, subject from auth.event where action like 'key.%' order by id
  `.execute(server.db)
  expect(rows).toEqual([
    { action: 'key.rotate', subject: kid },
    { action: 'key.retire', subject: first },
  ])
})

test('everything that the secret encrypts is re-encrypted, and opens only with the new one', async () => {
  await server.account()
  const kids = (await list()).map(({ kid }) => kid)
  const next = 'b5c0d1e2'.repeat(8)
  expect(
    await resealSecrets(server.db, { secret, next, now: server.platform.now() }),
  ).toBeGreaterThan(0)
  await expect(openKeyRing(server.db, secret, server.platform.now)).rejects.toThrow(
    'another secret',
  )
  const ring = await openKeyRing(server.db, next, server.platform.now)
  expect(kids).toContain((await ring.signer()).kid)
  await expect(
    resealSecrets(server.db, { secret, next, now: server.platform.now() }),
  ).rejects.toThrow(StartupError)
})
