import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Calls } from '@grove/contract/calls'
import type { ResponseOf } from '@grove/contract/call'
import type { MasterKey, Rotation } from '@grove/contract/maple/card/key'
import type { Problem } from '@grove/contract/shapes'
import { readHex } from '@grove/secure-element/bytes'
import { cardWithDomain, domain, stateOf } from '../session/testing/card-with-domain.ts'
import { startSessionServer, type SessionServer } from '../session/testing/session-server.ts'
import { leaveDomains } from './key.queries.ts'
import { checkValuesOf } from './key-source.ts'

let server: SessionServer
beforeAll(async () => {
  server = await startSessionServer({ jobs: { pollMs: 20, hasRecurring: false } })
})
afterAll(() => server.close())

type Keys = ResponseOf<Calls['GET /api/maple/se/keys']>

const call = async <Body>(
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  payload?: object,
): Promise<Body & Problem> => {
  const headers = server.admin
  const request = { method, url: `/api/maple/se/${url}`, headers, ...(payload && { payload }) }
  return (await server.app.inject(request)).json()
}
const read = (cplc: string) => call<Keys>('GET', `keys?cplc=${cplc}`)
const ask = (body: object) => call<Rotation>('POST', 'keys/rotation', body)

/** The latest rotation, once its job has ended. */
const settled = (cplc: string) =>
  vi.waitFor(async () => {
    const { rotation } = await read(cplc)
    expect(rotation?.step).toMatch(/^(committed|rolledBack|refused|blocked|failed|unknown)$/)
    return rotation
  }, 10_000)

/** Requests new keys, and waits for the end. */
async function give(body: { cplc: string; [name: string]: unknown }) {
  const { id } = await ask(body)
  expect(id).toBeDefined()
  return settled(body.cplc)
}

const given = (byte: string, length = 16) => {
  const of = (last: string) => byte.repeat(length - 1) + last
  return { enc: of('01'), mac: of('02'), dek: of('03') }
}

/** The versions of the card's keys in the domain. */
const onCard = async (cplc: string) => {
  const found = (await stateOf(server, cplc)).applications.find(({ aid }) => aid === domain)
  return found?.domain?.keySets.map(({ version }) => version)
}
const checkValues = (keys: ReturnType<typeof given>) =>
  checkValuesOf('AES', { enc: readHex(keys.enc), mac: readHex(keys.mac), dek: readHex(keys.dek) })

/** Opens a channel to the domain like any session, and returns the keys that it used. */
async function opens(cplc: string, aid: string | null, more: object = {}) {
  const { id } = await server.open(cplc)
  await server.command(id, 'MplSelect', aid === null ? {} : { aid })
  const { body } = await server.channel(id, '03', more)
  const { channel } = await server.read(id)
  await server.ask('POST', `/${id}/end`)
  return channel ? channel.keyVersion : body.problem?.code
}

describe.each([
  ['SCP03', 0x30],
  ['SCP02', 0x20],
] as const)('a domain with %s', (protocol, version) => {
  test('gets its first keys through the issuer’s channel, and opens with them', async () => {
    const cplc = await cardWithDomain(server, { protocol })
    const asked = await ask({ cplc, domain: domain.toLowerCase() })
    expect(asked).toMatchObject({
      domain,
      oldVersion: null,
      newVersion: version,
      target: { kind: 'random' },
      step: 'asked',
    })
    await settled(cplc)
    const { items, rotation } = await read(cplc)
    expect(rotation?.journal.map(({ step }) => step)).toEqual([
      'asked',
      'sending',
      'sent',
      'committed',
    ])
    expect(items).toMatchObject([
      { domain, version, protocol, state: 'active', origin: 'generated', keyLength: 16 },
      { domain: null, version, state: 'active', origin: 'delivered' },
    ])
    expect(await onCard(cplc)).toEqual([version])
    expect(await opens(cplc, domain)).toBe(version)
    expect(await opens(cplc, null)).toBe(version)
  })

  test('replaces them later, while the issuer’s keys stay', async () => {
    const cplc = await cardWithDomain(server, { protocol })
    await give({ cplc, domain })
    await give({ cplc, domain, version })
    const { items } = await read(cplc)
    expect(await onCard(cplc)).toEqual([version])
    expect(items[0]?.checkValues).not.toEqual(items[1]?.checkValues)
    expect(items.map((set) => [set.domain, set.state])).toEqual([
      [domain, 'active'],
      [domain, 'old'],
      [null, 'active'],
    ])
    expect(await opens(cplc, domain)).toBe(version)
    expect(await opens(cplc, null)).toBe(version)
  })

  test.each([2, 3, 4])(
    'a power cut before write %i leaves it with or without them',
    async (cut) => {
      const cplc = await cardWithDomain(server, { protocol })
      await server.breakCard(cplc, { powerCutBeforeWrite: cut })
      const cutOff = await give({ cplc, domain })
      await server.breakCard(cplc, {})
      if (cutOff?.step === 'unknown') {
        await call('PUT', `keys/rotation?id=${cutOff.id}`)
        await vi.waitFor(async () => expect((await read(cplc)).rotation?.step).not.toBe('unknown'))
      }
      const hasKeys = (await onCard(cplc))?.length === 1
      const { rotation, items } = await read(cplc)
      expect([hasKeys, rotation?.step]).toEqual(
        hasKeys ? [true, 'committed'] : [false, expect.stringMatching(/^(rolledBack|failed)$/)],
      )
      expect(items.some((set) => set.domain === domain && set.state === 'active')).toBe(hasKeys)
      expect(await opens(cplc, domain)).toBe(version)
    },
  )
})

test('keys for a domain that the card lacks go to no other domain', async () => {
  const cplc = await server.card()
  const rotation = await give({ cplc, domain, newVersion: 0x31 })
  expect(rotation?.step).toBe('failed')
  expect(rotation?.journal.at(-1)?.note).toContain(`no security domain ${domain}`)
  expect((await stateOf(server, cplc)).keySets.map(({ version }) => version)).toEqual([0x30])
})

describe('the keys that a domain gets', () => {
  test('are the given ones, which hands the domain over to its owner', async () => {
    const cplc = await cardWithDomain(server)
    const keys = given('7A', 32)
    const target = { kind: 'imported', keys }
    await give({ cplc, domain, newVersion: 0x31, target })
    expect(await onCard(cplc)).toEqual([0x31])
    expect((await read(cplc)).items[0]).toMatchObject({
      domain,
      version: 0x31,
      keyLength: 32,
      origin: 'imported',
      state: 'active',
      checkValues: checkValues(keys),
    })
    expect(await opens(cplc, domain)).toBe(0x31)
  })

  test('are derived from master keys by the card’s diversification data', async () => {
    const cplc = await cardWithDomain(server)
    const master = await call<MasterKey>('POST', 'masters', {
      name: 'Transit 2026',
      algorithm: 'AES',
      keys: given('5C'),
    })
    const target = { kind: 'derived', masterId: master.id, diversification: 'KDF3' }
    await give({ cplc, domain, target })
    const [set] = (await read(cplc)).items
    expect(set).toMatchObject({ domain, origin: 'diversified', master: { name: 'Transit 2026' } })
    expect(set?.checkValues).not.toEqual(checkValues(given('5C')))
    // The keys are not stored: they are derived each time.
    const { rows } = await sql<{ sealed: unknown }>`
      select sealed_keys as sealed from maple.key_set where id = ${set?.id}`.execute(server.db)
    expect(rows).toEqual([{ sealed: null }])
    expect(await opens(cplc, domain)).toBe(0x30)
  })

  test('may be longer than the replaced ones', async () => {
    const cplc = await server.card()
    const target = { kind: 'random', keyLength: 32 }
    await give({ cplc, version: 0x30, target })
    expect((await read(cplc)).items[0]).toMatchObject({ keyLength: 32, state: 'active' })
    expect(await opens(cplc, null)).toBe(0x30)
  })

  test('are forgotten if they were given and never sent', async () => {
    const cplc = await cardWithDomain(server)
    const target = { kind: 'imported', keys: given('7B') }
    await server.breakCard(cplc, { powerCutBeforeWrite: 1 })
    await give({ cplc, domain, target })
    const { items, rotation } = await read(cplc)
    expect([rotation?.step, items[0]?.state]).toEqual(['failed', 'retired'])
    const { rows } = await sql<{ sealed: unknown }>`
      select sealed_keys as sealed from maple.key_set where id = ${items[0]?.id}`.execute(server.db)
    expect(rows).toEqual([{ sealed: null }])
  })

  test('are refused if they could not be told apart afterwards', async () => {
    const cplc = await cardWithDomain(server)
    const standard = '404142434445464748494A4B4C4D4E4F'
    const keys = { enc: standard, mac: standard, dek: standard }
    const body = { cplc, domain, target: { kind: 'imported', keys } }
    expect((await ask(body)).code).toBe('already_exists')
    expect((await read(cplc)).items).toHaveLength(1)
    await give({ ...body, newVersion: 0x32 })
    expect(await opens(cplc, domain)).toBe(0x32)
  })

  test.each([
    [{ version: 0x30 }, 'key_missing', undefined],
    [{ domain: undefined }, 'invalid_request', 'version'],
    [{ target: { kind: 'imported' } }, 'invalid_request', 'target.keys'],
    [{ target: { kind: 'derived' } }, 'invalid_request', 'target.masterId'],
    [
      { target: { kind: 'imported', keys: { ...given('01'), mac: 'AA'.repeat(24) } } },
      'invalid_request',
      'target.keys.mac',
    ],
    [{ target: { kind: 'random', keyLength: 20 } }, 'invalid_request', 'target.keyLength'],
  ])('are refused if they are requested as %j', async (more, code, path) => {
    const cplc = await cardWithDomain(server)
    const answer = await ask({ cplc, domain, ...more })
    expect([answer.code, answer.errors?.[0]?.path]).toEqual([code, path])
    expect((await read(cplc)).rotation).toBeNull()
  })

  test('are no longer than its protocol allows', async () => {
    const cplc = await cardWithDomain(server, { protocol: 'SCP02' })
    const answer = await ask({ cplc, domain, target: { kind: 'random', keyLength: 32 } })
    expect(answer.errors?.[0]).toMatchObject({ path: 'target.keyLength' })
  })
})

describe('a domain with someone else’s keys', () => {
  test('stays closed without blocking, and opens once its keys are imported', async () => {
    const cplc = await cardWithDomain(server)
    await give({ cplc, domain, target: { kind: 'imported', keys: given('3D') } })
    await sql`delete from maple.key_rotation where cplc = ${cplc}`.execute(server.db)
    await sql`delete from maple.key_set where cplc = ${cplc} and domain_aid is not null`.execute(
      server.db,
    )
    expect(await opens(cplc, domain)).toBe('key_missing')
    expect(await opens(cplc, null)).toBe(0x30)
    expect((await read(cplc)).isBlocked).toBe(false)
    const imported = await call('POST', 'keys', {
      cplc,
      domain,
      version: 0x30,
      protocol: 'SCP03',
      keys: given('3D'),
    })
    expect(imported).toMatchObject({ domain, version: 0x30, state: 'active' })
    expect(await opens(cplc, domain)).toBe(0x30)
  })

  test('keeps the issuer’s closed without blocking if only the domain’s own keys are known', async () => {
    const cplc = await cardWithDomain(server)
    await give({ cplc, domain, target: { kind: 'imported', keys: given('3D') } })
    await sql`delete from maple.key_set where cplc = ${cplc} and domain_aid is null`.execute(
      server.db,
    )
    expect(await opens(cplc, null)).toBe('key_missing')
    expect((await read(cplc)).isBlocked).toBe(false)
    expect(await opens(cplc, domain)).toBe(0x30)
  })

  test('blocks the element if the keys that Grove has for it do not match', async () => {
    const cplc = await cardWithDomain(server)
    await give({ cplc, domain, target: { kind: 'imported', keys: given('3E') } })
    await sql`delete from maple.key_rotation where cplc = ${cplc}`.execute(server.db)
    await sql`delete from maple.key_set where cplc = ${cplc} and domain_aid is not null`.execute(
      server.db,
    )
    await call('POST', 'keys', {
      cplc,
      domain,
      version: 0x30,
      protocol: 'SCP03',
      keys: given('3F'),
    })
    expect(await opens(cplc, domain)).toBe('wrong_keys')
    await vi.waitFor(async () => expect((await read(cplc)).isBlocked).toBe(true))
  })
})

test('keys of a domain that left the card are kept as replaced', async () => {
  const cplc = await cardWithDomain(server)
  await give({ cplc, domain })
  await leaveDomains(server.db, cplc, ['A000000151000000', domain])
  expect((await read(cplc)).items.map(({ state }) => state)).toEqual(['active', 'active'])
  await leaveDomains(server.db, cplc, ['A000000151000000'])
  expect((await read(cplc)).items.map((set) => [set.domain, set.state])).toEqual([
    [domain, 'old'],
    [null, 'active'],
  ])
})
