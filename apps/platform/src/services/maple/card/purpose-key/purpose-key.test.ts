import { sql } from 'kysely'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Calls } from '@grove/contract/calls'
import type { ResponseOf } from '@grove/contract/call'
import type { PurposeKey } from '@grove/contract/maple/card/purpose-key'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { keyCheckValue } from '@grove/secure-element/keys/key-check-value'
import type { Problem } from '@grove/contract/shapes'
import { cardWithDomain, domain, stateOf } from '../session/testing/card-with-domain.ts'
import { startSessionServer, type SessionServer } from '../session/testing/session-server.ts'

let server: SessionServer
beforeAll(async () => {
  server = await startSessionServer({ jobs: { pollMs: 20, hasRecurring: false } })
})
afterAll(() => server.close())

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
const send = (method: Method, query: string, payload?: object, headers = server.admin) =>
  server.app.inject({
    method,
    url: `/api/maple/se/keys/purpose${query}`,
    headers,
    ...(payload && { payload }),
  })
const read = async (cplc: string): Promise<PurposeKey[]> =>
  (await send('GET', `?cplc=${cplc}`)).json<ResponseOf<Calls['GET /api/maple/se/keys/purpose']>>()
    .items
const ask = async (body: object) => (await send('POST', '', body)).json<PurposeKey & Problem>()

/** Requests a key, and waits for the end of its job. */
async function give(body: { cplc: string; [name: string]: unknown }): Promise<PurposeKey> {
  const { id, detail } = await ask(body)
  expect([id, detail]).toEqual([expect.any(String), undefined])
  return settled(body.cplc, id)
}
const settled = (cplc: string, id: string) =>
  vi.waitFor(async () => {
    const found = (await read(cplc)).find((key) => key.id === id)
    expect(found?.state).toMatch(/active|refused|failed|replaced/)
    return found ?? expect.fail()
  }, 10_000)

/** The card's keys of a version in a domain. */
async function onCard(cplc: string, version: number, aid: string | null = null) {
  const state = await stateOf(server, cplc)
  const sets =
    aid === null
      ? state.keySets
      : (state.applications.find((each) => each.aid === aid)?.domain?.keySets ?? [])
  return sets.find((set) => set.version === version)?.keys
}
const pem = (kind: 'pkcs8' | 'spki', length = 2048) => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: length })
  return kind === 'pkcs8'
    ? privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    : publicKey.export({ type: 'spki', format: 'pem' }).toString()
}

describe('a domain gets', () => {
  test.each([
    ['SCP03', 'AES', 16],
    ['SCP03', 'AES', 32],
    ['SCP02', 'DES', 16],
  ] as const)(
    'a secret key for tokens: %s, %s with %i bytes',
    async (protocol, kind, keyLength) => {
      const cplc = await server.card({ protocol })
      const key = await give({ cplc, purpose: 'token', kind, ...(kind === 'AES' && { keyLength }) })
      expect(key).toMatchObject({
        domain: null,
        purpose: 'token',
        version: 0x70,
        kind,
        length: keyLength * 8,
        checkValue: expect.stringMatching(/^[0-9A-F]{6}$/),
        publicKey: null,
        hasSecret: true,
        origin: 'generated',
        state: 'active',
      })
      expect(await onCard(cplc, 0x70)).toMatchObject([{ id: 1, algorithm: kind }])
      // The channel's keys do not change.
      const { id } = await server.open(cplc)
      await server.command(id, 'MplSelect')
      expect((await server.channel(id, '03')).status).toBe(200)
      await server.ask('POST', `/${id}/end`)
    },
  )

  test.each(['EC', 'RSA'] as const)('the public key of a pair: %s @long', async (kind) => {
    const cplc = await cardWithDomain(server, {}, ['dapVerification'])
    const key = await give({ cplc, domain: domain.toLowerCase(), purpose: 'dap', kind })
    expect(key).toMatchObject({ domain, version: 0x73, kind, checkValue: null, hasSecret: true })
    expect(createPublicKey(key.publicKey ?? '').asymmetricKeyType).toBe(kind.toLowerCase())
    expect(await onCard(cplc, 0x73, domain)).toMatchObject([{ algorithm: kind }])
    expect(await onCard(cplc, 0x73)).toBeUndefined()
  })

  test('a given key, and one whose private part is kept elsewhere', async () => {
    const cplc = await server.card()
    const secret = '00112233445566778899aabbccddeeff'
    const receipt = await give({ cplc, purpose: 'receipt', kind: 'AES', key: secret })
    expect(receipt.checkValue).toBe(toHex(keyCheckValue('AES', readHex(secret))))
    expect(await onCard(cplc, 0x71)).toMatchObject([{ algorithm: 'AES' }])
    const key = await give({ cplc, purpose: 'token', kind: 'RSA', key: pem('spki') })
    expect(key).toMatchObject({ origin: 'imported', hasSecret: false, state: 'active' })
    expect((await read(cplc)).map(({ purpose }) => purpose)).toEqual(['token', 'receipt'])
  })

  test('a key that it already has, which is not sent', async () => {
    const cplc = await server.card()
    const secret = '00112233445566778899AABBCCDDEEFF'
    const body = { cplc, purpose: 'receipt', kind: 'AES', isOnCard: true }
    const missing = await send('POST', '', body)
    expect([missing.statusCode, missing.json<Problem>().errors?.[0]?.path]).toEqual([400, 'key'])
    const before = await give({ cplc, purpose: 'receipt', kind: 'AES' })
    const key = await ask({ ...body, key: secret })
    expect(key).toMatchObject({ state: 'active', origin: 'imported', hasSecret: true, jobId: null })
    expect((await read(cplc)).find(({ id }) => id === before.id)).toMatchObject({
      state: 'replaced',
      hasSecret: false,
    })
    const [onIt] = (await onCard(cplc, 0x71)) ?? []
    expect(onIt?.value).not.toBe(secret)
  })

  test('another key in place of the previous one, whose secret is destroyed @long', async () => {
    const cplc = await server.card()
    const first = await give({ cplc, purpose: 'token', kind: 'AES' })
    const second = await give({ cplc, purpose: 'token', kind: 'RSA' })
    const items = await read(cplc)
    expect(items.map(({ id, state, hasSecret }) => [id, state, hasSecret])).toEqual([
      [second.id, 'active', true],
      [first.id, 'replaced', false],
    ])
    expect(await onCard(cplc, 0x70)).toMatchObject([{ algorithm: 'RSA' }])
    // A card lists long keys in another format.
    await give({ cplc, purpose: 'token', kind: 'EC' })
    expect(await onCard(cplc, 0x70)).toMatchObject([{ algorithm: 'EC' }])
  })
})

describe('an interruption', () => {
  test.each([2, 3, 4])('by a power cut before write %i is sent again', async (cut) => {
    const cplc = await server.card()
    await server.breakCard(cplc, { powerCutBeforeWrite: cut })
    const { id } = await ask({ cplc, purpose: 'token', kind: 'AES' })
    await vi.waitFor(async () => {
      const [key] = await read(cplc)
      expect(key?.state).toMatch(/sending|failed|active/)
    }, 10_000)
    await server.breakCard(cplc, {})
    await send('PUT', `?id=${id}`)
    const key = await settled(cplc, id)
    const [stored] = (await onCard(cplc, 0x70)) ?? []
    expect([key.state, stored !== undefined]).toEqual(
      key.state === 'active' ? ['active', true] : ['failed', false],
    )
  })

  test('after the card accepted the key, it accepts the same key again', async () => {
    const cplc = await server.card()
    const key = await give({ cplc, purpose: 'token', kind: 'AES' })
    const [before] = (await onCard(cplc, 0x70)) ?? []
    // As a process leaves it that is killed before it records the card's reply.
    await sql`update maple.purpose_key set state = 'sending' where id = ${key.id}`.execute(
      server.db,
    )
    expect((await send('PUT', `?id=${key.id}`)).statusCode).toBe(200)
    expect(await settled(cplc, key.id)).toMatchObject({ state: 'active', hasSecret: true })
    expect(await onCard(cplc, 0x70)).toEqual([before])
    expect((await send('PUT', `?id=${key.id}`)).json()).toMatchObject({
      code: 'transition_refused',
    })
  })
})

test('a key waits while another session has the card, and can be deleted', async () => {
  const cplc = await server.card()
  const { id: session } = await server.open(cplc)
  const { id } = await ask({ cplc, purpose: 'token', kind: 'AES' })
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(await read(cplc)).toMatchObject([{ id, state: 'asked', hasSecret: true }])
  await server.ask('POST', `/${session}/end`)
  expect((await send('PUT', `?id=${id}`)).statusCode).toBe(200)
  expect((await settled(cplc, id)).state).toBe('active')
  await server.open(cplc)
  const second = await ask({ cplc, purpose: 'dap', kind: 'AES' })
  expect((await send('DELETE', `?id=${second.id}`)).statusCode).toBe(204)
  expect(await read(cplc)).toHaveLength(1)
})

describe('refused is', () => {
  test('a key that does not pass through the channel of the card', async () => {
    const cplc = await server.card({ protocol: 'SCP02' })
    const key = await give({ cplc, purpose: 'token', kind: 'AES' })
    expect(key).toMatchObject({
      state: 'failed',
      cause: 'other_protocol',
      note: 'The card opened the channel with SCP02, through which AES keys do not pass. Choose DES.',
      hasSecret: false,
    })
  })

  test.each([
    ['a pair for receipts', { purpose: 'receipt', kind: 'EC' }, 'kind'],
    ['half a key', { purpose: 'token', kind: 'AES', key: '0011' }, 'key'],
    ['no PEM', { purpose: 'token', kind: 'RSA', key: 'hello' }, 'key'],
    ['a short RSA key', { purpose: 'dap', kind: 'RSA', key: 'short' }, 'key'],
    ['a key of the other kind', { purpose: 'dap', kind: 'EC', key: 'rsa' }, 'key'],
  ])(
    '%s @long',
    async (_, { key: text, ...body }: { purpose: string; kind: string; key?: string }, path) => {
      const cplc = await server.card()
      const key = text === 'short' ? pem('pkcs8', 768) : text === 'rsa' ? pem('pkcs8') : text
      const found = await ask({ cplc, ...body, ...(key !== undefined && { key }) })
      expect([found.code, found.errors?.[0]?.path]).toEqual(['invalid_request', path])
      // No message repeats a key.
      expect(JSON.stringify(found)).not.toContain(key ?? 'nothing')
    },
  )

  test('a second key while one is being sent, and another provider’s element', async () => {
    const cplc = await server.card({}, 'SP1')
    const key = await give({ cplc, purpose: 'token', kind: 'AES' })
    await sql`update maple.purpose_key set state = 'sending' where id = ${key.id}`.execute(
      server.db,
    )
    expect(await ask({ cplc, purpose: 'dap', kind: 'AES' })).toMatchObject({
      code: 'rotation_running',
    })
    const other = await server.member('SP2')
    const refusals = [
      await send('GET', `?cplc=${cplc}`, undefined, other),
      await send('POST', '', { cplc, purpose: 'dap', kind: 'AES' }, other),
      await send('PUT', `?id=${key.id}`, undefined, other),
      await send('DELETE', `?id=${key.id}`, undefined, other),
    ]
    expect(refusals.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404])
  })
})

test('a key is deleted with its secret, and the log repeats none', async () => {
  const cplc = await server.card()
  const secret = '0123456789ABCDEF0123456789ABCDEF'
  const { id } = await give({ cplc, purpose: 'token', kind: 'AES', key: secret })
  expect((await send('DELETE', `?id=${id}`)).statusCode).toBe(204)
  expect(await read(cplc)).toEqual([])
  const { rows } = await sql<{ action: string; text: string }>`
    select action, coalesce(before::text, '') || coalesce(after::text, '') as text
    from maple.event where subject = ${cplc} and action like 'purpose_key.%' order by id
  `.execute(server.db)
  expect(rows.map(({ action }) => action)).toEqual([
    'purpose_key.put',
    'purpose_key.active',
    'purpose_key.forget',
  ])
  expect(JSON.stringify(rows)).not.toContain(secret)
})
