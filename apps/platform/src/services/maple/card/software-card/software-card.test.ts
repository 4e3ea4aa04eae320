import { randomUUID } from 'node:crypto'
import type { InjectOptions } from 'fastify'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type {
  CardFaults,
  CardSnapshot,
  SoftwareCard,
} from '@grove/contract/maple/card/software-card'
import type { Device } from '@grove/contract/maple/fleet/device'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { maxSnapshots } from '@grove/contract/maple/card/software-card.rules'
import { encodeCommand, parseResponse, type Command } from '@grove/secure-element/apdu'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { cardProfiles } from '@grove/secure-element/card/card-profile'
import { getData, setCardState } from '@grove/secure-element/host/commands'
import { putKeys } from '@grove/secure-element/host/run'
import type { SeTransport } from '@grove/secure-element/host/transport'
import { staticKeys } from '@grove/secure-element/secure-channel/key-source'
import { openSecureChannel } from '@grove/secure-element/secure-channel/open-channel'
import { openScp11Channel } from '@grove/secure-element/secure-channel/open-scp11'
import { resourceClient } from '../../../../core/testing/resource-client.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'
import type { SessionContext } from '../context.ts'
import { keySourceFor } from '../key/key-source.ts'
import { transportFor } from '../session/transport/transport.ts'

let server: TestServer
let admin: { authorization: string }
let context: SessionContext
beforeAll(async () => {
  server = await startTestServer([maple])
  admin = await server.bearer(['ADMIN'])
  context = await maple.open(server.platform)
})
afterAll(() => server.close())

const cardsOf = (headers: InjectOptions['headers']) =>
  resourceClient<SoftwareCard>(server, '/api/maple/software_cards', headers)
const cards = () => cardsOf(admin)
const snapshotsOf = (headers: InjectOptions['headers'] = admin) =>
  resourceClient<CardSnapshot>(server, '/api/maple/software_cards/snapshots', headers)
const call = (path: string, headers: InjectOptions['headers'] = admin) =>
  resourceClient<SoftwareCard>(server, `/api/maple/software_cards/${path}`, headers)
const elementOf = async (cplc: string) =>
  (await resourceClient<SecureElement>(server, '/api/maple/se/element', admin).list({ cplc }))
    .items[0]
const deviceOf = async (id: string) =>
  (await resourceClient<Device>(server, '/api/maple/device', admin).list({ id })).items[0]
/** A session's way to a card. */
const transportTo = (cplc: string): Promise<SeTransport> => transportFor(context, cplc)
const read = async (id: string) => (await cards().list({ id })).items[0]
const actionsOf = async (id: string) => (await cards().eventsOf(id)).map(({ action }) => action)

const standard = readHex('404142434445464748494A4B4C4D4E4F')
const open = (transport: SeTransport) =>
  openSecureChannel(transport, {
    keys: staticKeys({ enc: standard, mac: standard, dek: standard }),
    level: 0x03,
    scp02Implementation: 0x55,
  })
const wordOf = async (transport: SeTransport, command: Command) =>
  parseResponse(await transport.transmit(encodeCommand(command))).statusWord

/** A developer with their own service provider. */
async function developer() {
  const [id, serviceId] = [randomUUID(), `service-${randomUUID().slice(0, 8)}`]
  const { db } = server.platform
  await sql`insert into maple.service (id, name, name_key) values (${serviceId}, 'A', 'a')`.execute(
    db,
  )
  await sql`
    insert into maple.account (id, roles, expires_at, service_id)
    values (${id}, array['developer'], '9999-12-31', ${serviceId})`.execute(db)
  return { serviceId, headers: await server.bearer(['DEVELOPER'], id) }
}

describe('making a card', () => {
  test('creates its element and a virtual device, in the caller’s service provider', async () => {
    const { headers, serviceId } = await developer()
    const card = await cardsOf(headers).create({ name: '  My   card ' })
    expect(card).toMatchObject({
      id: expect.stringMatching(/^4790D321/),
      name: 'My card',
      kind: 'scp03',
      serviceId,
      faults: {},
      protocol: 'SCP03 i=70',
      lifeCycle: 'opReady',
      applications: [],
      keyVersions: [0x30],
    })
    expect(JSON.stringify(card)).not.toContain(toHex(standard))
    expect(await deviceOf(card.deviceId ?? '')).toMatchObject({
      name: 'My card',
      type: 'virtual',
      state: 'accepted',
      serviceId,
      elements: [{ cplc: card.id }],
    })
    expect(await elementOf(card.id)).toMatchObject({ state: 'opReady' })
    expect(await actionsOf(card.id)).toEqual([
      'element.create',
      'element.attach',
      'software_card.create',
    ])
  })

  test.each([
    ['scp02', { protocol: 'SCP02 i=55', keyVersions: [0x20] }],
    ['small', { memory: { total: 4096, free: 4096 } }],
    ['locked', { lifeCycle: 'cardLocked' }],
    ['scp03-aes256', { protocol: 'SCP03 i=70' }],
    ['no-cplc', { id: expect.stringMatching(/^(FF){9}01/) }],
    ['scp03-s16', { protocol: 'SCP03 i=71' }],
    ['scp11', { protocol: 'SCP03 i=70' }],
    ['jcop3', { id: expect.stringMatching(/^47906B644700E4D80300/) }],
  ])('of kind %s', async (kind, expected) => {
    const card = await cards().create({ name: kind, kind })
    expect(card).toMatchObject({ kind, ...expected })
    const channel = await openSecureChannel(await transportTo(card.id), {
      keys: await keySourceFor(context, { cplc: card.id }),
      level: 0x03,
      scp02Implementation: kind === 'jcop3' ? 0x15 : 0x55,
    })
    const { statusWord } = await channel.send(getData({ tag: '9F7F' }))
    expect(statusWord).toBe(kind === 'no-cplc' ? 0x6a88 : 0x9000)
  })

  test('of kind scp11 authenticates with its certificate, with the card kept in the database', async () => {
    const [authority] = cardProfiles.scp11.scp11.keys
    const card = await cards().create({ name: 'Certified', kind: 'scp11' })
    const transport = await transportTo(card.id)
    await transport.transmit(readHex('00A4040000'))
    const channel = await openScp11Channel(transport, {
      variant: 'b',
      keyVersion: 1,
      trust: { authorities: [readHex(authority.value)], now: Date.now() },
    })
    expect((await channel.send(getData({ tag: '66' }))).statusWord).toBe(0x9000)
    const stranger = readHex(authority.value)
    stranger.set(readHex('FF'), 20)
    const refused = openScp11Channel(transport, {
      variant: 'b',
      keyVersion: 1,
      trust: { authorities: [stranger], now: Date.now() },
    })
    await expect(refused).rejects.toThrow()
  })

  test('with the same seed twice is refused, but not for another service provider', async () => {
    const [one, other] = [await developer(), await developer()]
    const card = await cardsOf(one.headers).create({ name: 'A', seed: 'lesson' })
    const again = await cardsOf(one.headers).refusal('POST', {}, { name: 'B', seed: 'lesson' })
    expect(again).toEqual([409, 'already_exists', 'seed'])
    expect((await cardsOf(other.headers).create({ name: 'A', seed: 'lesson' })).id).not.toBe(
      card.id,
    )
  })
})

test('another service provider’s card does not exist, by any call', async () => {
  const [one, other] = [await developer(), await developer()]
  const { id } = await cardsOf(one.headers).create({ name: 'Mine' })
  const snapshot = await snapshotsOf(one.headers).send('POST', { id }, { name: 'Before' })
  const snapshotId = snapshot.json<CardSnapshot>().id
  const theirs = cardsOf(other.headers)
  expect((await theirs.list()).items).toEqual([])
  expect((await theirs.list({ id })).items).toEqual([])
  const answers = [
    await theirs.send('PUT', { id }, { name: 'Theirs' }),
    await theirs.send('DELETE', { id }),
    await call('copy', other.headers).send('POST', { id }, { name: 'Theirs' }),
    await call('reset', other.headers).send('POST', { id }),
    await snapshotsOf(other.headers).send('GET', { id }),
    await snapshotsOf(other.headers).send('POST', { id }, { name: 'Theirs' }),
    await snapshotsOf(other.headers).send('DELETE', { id: snapshotId }),
    await call('restore', other.headers).send('POST', {}, { snapshotId }),
  ]
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 404))
  expect(
    await cardsOf(one.headers).refusal('POST', {}, { name: 'B', serviceId: other.serviceId }),
  ).toEqual([400, 'invalid_request', 'serviceId'])
  expect((await cardsOf(one.headers).list()).ids).toEqual([id])
})

test('a card moves with its device to another service provider', async () => {
  const [one, other] = [await developer(), await developer()]
  const card = await cardsOf(one.headers).create({ name: 'Mover' })
  const devices = resourceClient<Device>(server, '/api/maple/device', admin)
  await devices.send('PUT', { id: card.deviceId ?? '' }, { serviceId: other.serviceId })
  expect((await cardsOf(one.headers).list()).ids).toEqual([])
  expect((await cardsOf(other.headers).list()).ids).toEqual([card.id])
})

describe('a command', () => {
  test('is stored before its reply is returned, so that another process continues with the card', async () => {
    const { id } = await cards().create({ name: 'Kept' })
    const channel = await open(await transportTo(id))
    await channel.send(setCardState({ state: 'initialized' }))
    expect(await read(id)).toMatchObject({ lifeCycle: 'initialized', revision: 1 })
    const next = await open(await transportTo(id))
    expect((await next.send(setCardState({ state: 'secured' }))).statusWord).toBe(0x9000)
    expect((await read(id))?.lifeCycle).toBe('secured')
  })

  test('that only reads leaves the stored card unchanged', async () => {
    const { id } = await cards().create({ name: 'Read' })
    const version = async () =>
      (
        await sql<{ version: string }>`
          select version from maple.software_card where cplc = ${id}`.execute(server.platform.db)
      ).rows[0]?.version
    const before = await version()
    await (await transportTo(id)).transmit(encodeCommand(getData({ tag: '9F7F' })))
    expect(await version()).toBe(before)
  })

  test('to a card restored meanwhile finds it without a channel', async () => {
    const { id } = await cards().create({ name: 'Restored' })
    const channel = await open(await transportTo(id))
    await call('reset').send('POST', { id })
    await expect(channel.send(getData({ tag: '66' }))).resolves.toMatchObject({
      statusWord: 0x6982,
    })
  })

  test('to a card that was deleted fails', async () => {
    const { id } = await cards().create({ name: 'Deleted' })
    const transport = await transportTo(id)
    await cards().send('DELETE', { id })
    await expect(transport.transmit(encodeCommand(getData({ tag: '66' })))).rejects.toThrow(
      'The software card was deleted.',
    )
  })
})

describe('a fault', () => {
  const breakCard = (id: string, faults: CardFaults) => cards().send('PUT', { id }, { faults })

  test('affects an open session, at its next command', async () => {
    const { id } = await cards().create({ name: 'Broken' })
    const transport = await transportTo(id)
    const command = getData({ tag: '9F7F' })
    expect(await wordOf(transport, command)).toBe(0x9000)
    await breakCard(id, { wrongStatusWord: { instruction: 'CA', statusWord: '6F00' } })
    expect(await wordOf(transport, command)).toBe(0x6f00)
    expect((await read(id))?.faults).toEqual({})
    expect(await wordOf(transport, command)).toBe(0x9000)
    expect((await actionsOf(id)).at(-1)).toBe('software_card.break')
  })

  test('cuts the power before a write that is counted across sessions', async () => {
    const { id } = await cards().create({ name: 'Power' })
    await breakCard(id, { powerCutBeforeWrite: 3 })
    await open(await transportTo(id))
    expect((await read(id))?.faults).toEqual({ powerCutBeforeWrite: 2 })
    const channel = await open(await transportTo(id))
    const cut = channel.send(setCardState({ state: 'initialized' }))
    await expect(cut).rejects.toThrow()
    expect(await read(id)).toMatchObject({ faults: {}, lifeCycle: 'opReady' })
  })

  test('of other keys lasts until the card is repaired', async () => {
    const { id } = await cards().create({ name: 'Keys' })
    await breakCard(id, { hasOtherKeys: true })
    for (let time = 0; time < 2; time++)
      await expect(open(await transportTo(id))).rejects.toMatchObject({
        code: 'wrongCardCryptogram',
      })
    await breakCard(id, {})
    await open(await transportTo(id))
  })

  test.each([
    [{ powerCutBeforeWrite: 0 }],
    [{ wrongStatusWord: { instruction: 'E6', statusWord: '1234' } }],
    [{ delay: 600_000 }],
    [{ isOnFire: true }],
  ])('%j is refused', async (faults) => {
    const { id } = await cards().create({ name: 'Refusal' })
    const [status, code] = await cards().refusal('PUT', { id }, { faults })
    expect([status, code]).toEqual([400, 'invalid_request'])
  })
})

describe('snapshots', () => {
  test('bring back the keys that were on the card', async () => {
    const { id } = await cards().create({ name: 'Rotated' })
    const made = await snapshotsOf().send('POST', { id }, { name: 'New' })
    const channel = await open(await transportTo(id))
    const value = readHex('505152535455565758595A5B5C5D5E5F')
    const newKeys = [1, 2, 3].map(() => ({ algorithm: 'AES' as const, value }))
    await putKeys(channel, { version: 0x31, replaces: 0x30, keys: newKeys })
    const keys = await keySourceFor(context, { cplc: id })
    const opening = async () => openSecureChannel(await transportTo(id), { keys, level: 0x03 })
    await expect(opening()).rejects.toMatchObject({ code: 'key_missing' })
    await call('restore').send('POST', {}, { snapshotId: made.json<CardSnapshot>().id })
    await open(await transportTo(id))
    await openSecureChannel(await transportTo(id), {
      keys: await keySourceFor(context, { cplc: id }),
      level: 0x03,
    })
  })

  test('restore a card’s earlier state, with an event for each step', async () => {
    const { id } = await cards().create({ name: 'Story' })
    const made = await snapshotsOf().send('POST', { id }, { name: 'New' })
    expect(made.statusCode).toBe(201)
    const channel = await open(await transportTo(id))
    await channel.send(setCardState({ state: 'terminated' }))
    expect((await read(id))?.lifeCycle).toBe('terminated')
    const snapshotId = made.json<CardSnapshot>().id
    const restored = await call('restore').send('POST', {}, { snapshotId })
    expect(restored.json()).toMatchObject({ lifeCycle: 'opReady', faults: {} })
    expect((await elementOf(id))?.state).toBe('opReady')
    expect((await snapshotsOf().send('DELETE', { id: snapshotId })).statusCode).toBe(204)
    expect((await snapshotsOf().list({ id })).items).toEqual([])
    expect((await actionsOf(id)).slice(3)).toEqual([
      'software_card.snapshot',
      'software_card.restore',
      'software_card.forget',
    ])
  })

  test('have different names, and their number is limited', async () => {
    const { id } = await cards().create({ name: 'Many' })
    const make = (name: string) => snapshotsOf().refusal('POST', { id }, { name })
    for (let at = 0; at < maxSnapshots; at++) {
      if (at === 1) expect(await make('SNAPSHOT 0')).toEqual([409, 'already_exists', 'name'])
      await snapshotsOf().send('POST', { id }, { name: `Snapshot ${at}` })
    }
    expect((await make('One more')).slice(0, 2)).toEqual([409, 'limit_reached'])
  })
})

test('a reset card is like new, and keeps its CPLC', async () => {
  const card = await cards().create({ name: 'Again', seed: 'again' })
  const channel = await open(await transportTo(card.id))
  await channel.send(setCardState({ state: 'initialized' }))
  await cards().send('PUT', { id: card.id }, { faults: { delay: 5 } })
  expect((await call('reset').send('POST', { id: card.id })).json()).toMatchObject({
    id: card.id,
    lifeCycle: 'opReady',
    faults: {},
  })
})

test('a copy has the same contents with a CPLC of its own', async () => {
  const card = await cards().create({ name: 'Original' })
  const channel = await open(await transportTo(card.id))
  await channel.send(setCardState({ state: 'initialized' }))
  const answer = await call('copy').send('POST', { id: card.id }, { name: 'Copy' })
  const copy = answer.json<SoftwareCard>()
  expect(copy).toMatchObject({ name: 'Copy', lifeCycle: 'initialized' })
  expect(copy.id).not.toBe(card.id)
  const { data } = parseResponse(
    await (await transportTo(copy.id)).transmit(encodeCommand(getData({ tag: '9F7F' }))),
  )
  expect(toHex(data)).toBe(`9F7F2A${copy.id}`)
})

test('deleting a card deletes its element and retires its device', async () => {
  const card = await cards().create({ name: 'Gone' })
  await snapshotsOf().send('POST', { id: card.id }, { name: 'Before' })
  const stale = await cards().send('DELETE', { id: card.id }, undefined, { 'if-match': '"7"' })
  expect(stale.json()).toMatchObject({ code: 'edit_conflict' })
  expect((await cards().send('DELETE', { id: card.id })).statusCode).toBe(204)
  expect(await read(card.id)).toBeUndefined()
  expect(await elementOf(card.id)).toBeUndefined()
  expect(await deviceOf(card.deviceId ?? '')).toMatchObject({ state: 'retired', elements: [] })
})

test('a list is paged by name and by creation, and searched', async () => {
  const { headers } = await developer()
  const list = cardsOf(headers)
  for (const name of ['beta', 'Alpha', 'gamma', 'alpine']) await list.create({ name })
  const names = async (query: Record<string, string>) =>
    (await list.list(query)).items.map(({ name }) => name)
  expect(await names({ sort: 'name', order: 'asc' })).toEqual(['Alpha', 'alpine', 'beta', 'gamma'])
  expect(await names({})).toEqual(['alpine', 'gamma', 'Alpha', 'beta'])
  expect(await names({ q: 'ALP', sort: 'name', order: 'asc' })).toEqual(['Alpha', 'alpine'])
  expect(await list.walk({ limit: '1', sort: 'name', order: 'desc' })).toHaveLength(4)
})
