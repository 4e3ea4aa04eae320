import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildApp } from '../../../../core/http/app.ts'
import { StartupError } from '../../../../core/startup-error.ts'
import { readSecret } from '../../../../core/secret.ts'
import { auth } from '../../index.ts'
import { unseal } from '../../../../core/sealed.ts'
import { startAuthServer, type AuthServer } from '../../testing/auth-server.ts'
import { openKeyRing } from './key-ring.ts'

let server: AuthServer
beforeEach(async () => {
  server = await startAuthServer()
})
afterEach(() => server.close())

// The key is found by the header alone.
const flattened = { payload: '', signature: '' }

const minute = 60_000
const day = 24 * 60 * minute

const jwks = async () => (await server.get('/.well-known/jwks.json')).json<JSONWebKeySet>()
const kids = async () => (await jwks()).keys.map((key) => key.kid)
const newToken = async () => (await server.account()).token.accessToken
const kidOf = (token: string) => decodeProtectedHeader(token).kid

test('point 19: the JWKS verifies a token and can be cached; it contains no private part', async () => {
  const answer = await server.get('/.well-known/jwks.json')
  expect(answer.headers['cache-control']).toBe('public, max-age=300')
  const set = answer.json<JSONWebKeySet>()
  for (const key of set.keys)
    expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  const { payload } = await jwtVerify(await newToken(), createLocalJWKSet(set), {
    issuer: 'grove',
    audience: 'grove',
    algorithms: ['ES256'],
    currentDate: new Date(server.platform.now()),
  })
  expect(payload['provider']).toBe('grove')
})

test('point 19: the next key is public a day before it signs, the last one until its tokens expire', async () => {
  const first = kidOf(await newToken())
  expect(await kids()).toEqual([first])

  server.pass(29 * day + minute)
  const [, next] = await kids()
  expect(next).toBeDefined()
  expect(kidOf(await newToken())).toBe(first)

  server.pass(day - 2 * minute)
  const last = await newToken()
  expect(kidOf(last)).toBe(first)

  server.pass(2 * minute)
  expect(kidOf(await newToken())).toBe(next)
  expect(await kids()).toEqual([first, next])
  await server.app.verifyAccessToken(last)

  server.pass(60 * minute)
  expect(await kids()).toEqual([next])
})

test('point 19: a process started before a rotation verifies what another signs after it', async () => {
  const other = await buildApp({ ...server.platform }, [auth])
  server.pass(40 * day)
  // Late: the key due is created now, and signs a day from now.
  await newToken()
  server.pass(2 * day)
  const token = await newToken()
  expect(await other.verifyAccessToken(token)).toMatchObject({ realm: 'grove' })
  await other.close()
})

test('point 19: processes that start together create one key', async () => {
  await sql`delete from auth.signing_key`.execute(server.db)
  const rings = await Promise.all(
    Array.from({ length: 4 }, () => openKeyRing(server.db, 'the same secret', server.platform.now)),
  )
  const signers = await Promise.all(rings.map((ring) => ring.signer()))
  expect(new Set(signers.map((signer) => signer.kid)).size).toBe(1)
})

test('tokens are verified and keys published while the database is unavailable', async () => {
  const token = await newToken()
  const ring = await openKeyRing(
    server.db,
    await readSecret(server.platform.config),
    server.platform.now,
  )
  await server.database.close()
  server.pass(2 * minute)
  const header = decodeProtectedHeader(token)
  expect(await ring.keySource({ ...header, alg: 'ES256' }, flattened)).toBeDefined()
  expect((await ring.publicKeys()).map((key) => key.kid)).toEqual([header.kid])
  await expect(ring.keySource({ alg: 'ES256', kid: 'made up' }, flattened)).rejects.toThrow()
})

test('private keys are encrypted: the database alone cannot sign, another secret cannot start', async () => {
  const secret = await readSecret(server.platform.config)
  const rows = await server.db.selectFrom('auth.signing_key').selectAll().execute()
  expect(rows).toHaveLength(1)
  for (const { kid, sealed_private_jwk } of rows) {
    const { d } = JSON.parse(unseal(sealed_private_jwk, secret, `signing key ${kid}`))
    expect(d).toMatch(/^[\w-]{43}$/)
    expect(JSON.stringify(rows)).not.toContain(d)
  }

  const opening = openKeyRing(server.db, 'another secret', server.platform.now)
  await expect(opening).rejects.toThrow(StartupError)
  await expect(opening).rejects.toThrow('GROVE_SECRET')
})
