import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import { newCard } from '@grove/secure-element/card/card-state'
import { everything } from '../../../../core/scope.ts'
import { startSessionServer, type SessionServer } from '../session/testing/session-server.ts'
import { rewrapKeys } from '../key/rewrap.ts'
import { requestActor } from '../key/request-actor.ts'
import { rotate } from '../key/rotate.ts'
import { openRotation } from '../key/rotation.service.ts'
import { setsOf } from '../key/key.queries.ts'
import { hasClearKeys, keyValues, openCard, sealCard, withoutKeys } from './card-keys.ts'
import { findCard, readSnapshots } from './software-card.queries.ts'

let server: SessionServer
beforeAll(async () => {
  server = await startSessionServer({ jobs: { pollMs: 1e9, hasRecurring: false } })
})
afterAll(() => server.close())

const published = '404142434445464748494A4B4C4D4E4F'

const cardOf = async (cplc: string) =>
  (await findCard(server.db, everything, cplc)) ?? expect.fail('there is no card')

/** Everything that the database stores of a card, as its rows print. */
async function dump(cplc: string): Promise<string> {
  const { rows } = await sql<{ text: string }>`
    select card::text as text from maple.software_card as card where cplc = ${cplc}
    union all select snapshot::text from maple.software_card_snapshot as snapshot where cplc = ${cplc}
  `.execute(server.db)
  return rows.map(({ text }) => text).join('\n')
}

/** Fails if a text contains a key, in any of the usual encodings. */
function expectNoKeys(text: string, values: readonly string[]): void {
  expect(values.length).toBeGreaterThan(0)
  for (const value of values) {
    const bytes = Buffer.from(value, 'hex')
    expect(text.toUpperCase()).not.toContain(value.toUpperCase())
    expect(text).not.toContain(bytes.toString('base64'))
    expect(text.toUpperCase()).not.toContain(Buffer.from(value).toString('hex').toUpperCase())
  }
}

/** Opens a channel with the keys that Grove has. */
async function opens(cplc: string): Promise<string> {
  const { id } = await server.open(cplc)
  await server.command(id, 'MplSelect')
  const { state } = (await server.channel(id, '03')).body
  await server.ask('POST', `/${id}/end`)
  return state
}

async function rotateKeys(cplc: string): Promise<void> {
  const { context, db } = server
  const [set] = await setsOf(db, cplc, ['active'])
  if (!set) throw new Error('the card has keys')
  const { custody } = set
  const id = await openRotation(context, db, { ...set, set, custody, createdBy: 'somebody' })
  await rotate(context, requestActor('somebody', id), id)
}

const create = async (url: string, payload: object, query = {}) => {
  const answer = await server.app.inject({
    method: 'POST',
    url: `/api/maple/software_cards${url}`,
    query,
    payload,
    headers: server.admin,
  })
  return answer.json<SoftwareCard>()
}

test('an older card is encrypted by its next write, and no row contains its new keys', async () => {
  const cplc = await server.card()
  expect(await dump(cplc)).toContain(published)
  expect(await opens(cplc)).toBe('done')
  expectNoKeys(await dump(cplc), [published])
  await rotateKeys(cplc)
  expect(await opens(cplc)).toBe('done')
  const values = keyValues(await openCard(server.context.keys.vault, await cardOf(cplc)))
  expect(values).not.toContain(published)
  expectNoKeys(await dump(cplc), values)
})

test('a new card, its snapshots and its copies contain no plain keys, and work', async () => {
  const { vault } = server.context.keys
  const { id } = await create('', { name: `Sealed ${randomUUID()}` })
  await create('/snapshots', { name: 'as new' }, { id })
  expectNoKeys(await dump(id), [published])
  await rotateKeys(id)
  const rotated = keyValues(await openCard(vault, await cardOf(id)))
  await create('/snapshots', { name: 'rotated' }, { id })
  expectNoKeys(await dump(id), [published, ...rotated])
  const copy = await create('/copy', { name: `Copy ${randomUUID()}` }, { id })
  expect(keyValues(await openCard(vault, await cardOf(copy.id)))).toEqual(rotated)
  expect(await opens(copy.id)).toBe('done')
  const asNew = (await readSnapshots(server.db, id)).find(({ name }) => name === 'as new')
  await create('/restore', { snapshotId: asNew?.id ?? '' })
  expect(keyValues(await openCard(vault, await cardOf(id)))).toEqual(Array(3).fill(published))
  expect(await opens(id)).toBe('done')
  expectNoKeys(await dump(id), [published, ...rotated])
})

test('the job that rewraps keys encrypts older cards, and changes nothing twice', async () => {
  const cplc = await server.card()
  await sql`insert into maple.software_card_snapshot (cplc, name, name_key, state)
    select cplc, 'old', 'old', state from maple.software_card where cplc = ${cplc}`.execute(
    server.db,
  )
  expect(await rewrapKeys(server.context)).toBeGreaterThanOrEqual(2)
  expectNoKeys(await dump(cplc), [published])
  expect(await rewrapKeys(server.context)).toBe(0)
  expect(await opens(cplc)).toBe('done')
})

test('a session notices that its card’s keys were replaced, although the rest is unchanged', async () => {
  const cplc = await server.card()
  expect(await opens(cplc)).toBe('done')
  const { id } = await server.open(cplc)
  await server.command(id, 'MplSelect')
  const state = await openCard(server.context.keys.vault, await cardOf(cplc))
  for (const { keys } of state.keySets) for (const key of keys) key.value = 'FF'.repeat(16)
  const { sealed } = await sealCard(server.context.keys.vault, state)
  await sql`update maple.software_card set version = version + 1, key_id = ${sealed?.keyId}::uuid,
    wrapped_key = decode(${sealed?.wrappedKey}, 'hex'), sealed_keys = decode(${sealed?.body}, 'hex')
    where cplc = ${cplc}`.execute(server.db)
  expect((await server.channel(id, '03')).body.problem?.code).toBe('wrong_keys')
})

test('the keys of domains are encrypted like the issuer’s', async () => {
  const { vault } = server.context.keys
  const state = newCard({ seed: 'domains' })
  const [set] = state.keySets
  if (!set) throw new Error('a new card has keys')
  const secret = '0123456789ABCDEF0123456789ABCDEF'
  const keys = set.keys.map((key) => ({ ...key, value: secret }))
  const domain = { implementation: 0x70, keySets: [{ ...set, keys }], objects: {} }
  state.applications.push({
    aid: 'A00000015153504101',
    loadFileAid: 'A0000001515350',
    moduleAid: 'A000000151535041',
    domainAid: state.issuerAid,
    lifeCycle: 0x0f,
    privileges: [],
    parameters: '',
    quota: {},
    reserved: {},
    model: '',
    data: {},
    domain,
  })
  const stored = await sealCard(vault, state)
  expectNoKeys(JSON.stringify(stored), [secret, published])
  expect(hasClearKeys(stored)).toBe(false)
  expect(await openCard(vault, stored)).toEqual(state)
  expect(withoutKeys(state)).toEqual(stored.state)
})
