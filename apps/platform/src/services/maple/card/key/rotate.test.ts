import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Problem } from '@grove/contract/shapes'
import type { ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { MasterKey, Rotation } from '@grove/contract/maple/card/key'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { diversifiedKeys } from '@grove/secure-element/keys/diversification'
import { startSessionServer, type SessionServer } from '../session/testing/session-server.ts'
import { addKeySet } from './key-source.ts'
import { requestActor } from './request-actor.ts'
import { rotate } from './rotate.ts'
import { writeStep } from './rotation.queries.ts'

let server: SessionServer
beforeAll(async () => {
  // The tests run the rotations themselves.
  server = await startSessionServer({ jobs: { pollMs: 1e9, hasRecurring: false } })
})
afterAll(() => server.close())

type Keys = ResponseOf<Calls['GET /api/maple/se/keys']>

const call = async <Body>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  payload?: object,
  headers = server.admin,
): Promise<Body & Problem> => {
  const answer = await server.app.inject({
    method,
    url: `/api/maple/se/${url}`,
    headers,
    ...(payload && { payload }),
  })
  return answer.statusCode === 204 ? ({} as Body & Problem) : answer.json()
}
const read = (cplc: string) => call<Keys>('GET', `keys?cplc=${cplc}`)

/** A rotation that is written down and not run, as after a kill before its first step. */
async function asked(cplc: string, version: number, newVersion = version): Promise<string> {
  const [set] = (await read(cplc)).items
  const id = randomUUID()
  const journal = JSON.stringify([{ step: 'asked', at: new Date().toISOString(), note: null }])
  await sql`insert into maple.key_rotation (id, cplc, old_set, custody, old_version, new_version, step, journal, created_by)
    values (${id}, ${cplc}, ${set?.id ?? ''}, 'vault', ${version}, ${newVersion}, 'asked', ${journal}::jsonb, 'somebody')`.execute(
    server.db,
  )
  return id
}

const run = (id: string) => rotate(server.context, requestActor('somebody', id), id)

/** Opens a channel with the keys that Grove has, as any session does. */
async function opens(cplc: string): Promise<string> {
  const { id } = await server.open(cplc)
  await server.command(id, 'MplSelect')
  const { state } = (await server.channel(id, '03')).body
  await server.ask('POST', `/${id}/end`)
  return state
}

async function sent(cplc: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from maple.session where cplc = ${cplc} order by opened_at`.execute(server.db)
  const all: string[] = []
  for (const { id } of rows)
    all.push(...(await server.exchanges(id)).items.map(({ command }) => command ?? ''))
  return all
}
const count = (commands: string[], ins: string) =>
  commands.filter((each) => each.slice(2, 4) === ins).length

describe.each([
  ['SCP03', 0x30],
  ['SCP02', 0x20],
] as const)('a rotation with %s', (protocol, version) => {
  test('gives the card new keys, checks them, and keeps the old ones marked as old', async () => {
    const cplc = await server.card({ protocol })
    const id = await asked(cplc, version)
    await run(id)
    const { items, rotation } = await read(cplc)
    expect(rotation?.journal.map(({ step }) => step)).toEqual([
      'asked',
      'sending',
      'sent',
      'committed',
    ])
    expect(items).toMatchObject([
      { state: 'active', version, origin: 'generated' },
      { state: 'old', version, origin: 'delivered' },
    ])
    expect(items[0]?.checkValues).not.toEqual(items[1]?.checkValues)
    expect(await opens(cplc)).toBe('done')
    expect(count(await sent(cplc), 'D8')).toBe(1)
  })

  test('with another version replaces the old one', async () => {
    const cplc = await server.card({ protocol })
    await run(await asked(cplc, version, version + 1))
    expect((await read(cplc)).items).toMatchObject([
      { state: 'active', version: version + 1 },
      { state: 'old', version },
    ])
    expect(await opens(cplc)).toBe('done')
  })

  test.each([1, 2, 3, 4])('survives a power cut before write %i with either key', async (write) => {
    const cplc = await server.card({ protocol })
    const id = await asked(cplc, version)
    await server.breakCard(cplc, { powerCutBeforeWrite: write })
    await run(id).catch(() => {})
    await server.breakCard(cplc, {})
    const { rotation } = await read(cplc)
    if (rotation?.step === 'unknown') await run(id).catch(() => {})
    const after = (await read(cplc)).rotation
    // If the cut came before PUT KEY, nothing was sent; at its write the card kept the old keys.
    const ends = { 1: 'failed', 2: 'rolledBack' } as Record<number, string>
    expect(after?.step).toBe(ends[write] ?? 'committed')
    expect(await opens(cplc)).toBe('done')
    expect(count(await sent(cplc), 'D8')).toBe(write === 1 ? 0 : 1)
  })
})

test('after a kill following PUT KEY it asks the card and sends nothing twice', async () => {
  const cplc = await server.card()
  const id = await asked(cplc, 0x30)
  await run(id)
  const [fresh, old] = (await read(cplc)).items
  await sql`update maple.key_set set state = 'pending' where id = ${fresh?.id ?? ''}`.execute(
    server.db,
  )
  await sql`update maple.key_set set state = 'active' where id = ${old?.id ?? ''}`.execute(
    server.db,
  )
  await sql`update maple.key_rotation set step = 'sending' where id = ${id}`.execute(server.db)
  expect(await opens(cplc)).toBe('done')
  await run(id)
  expect((await read(cplc)).items).toMatchObject([{ state: 'active' }, { state: 'old' }])
  expect(count(await sent(cplc), 'D8')).toBe(1)
})

test('after a kill before PUT KEY the card has its old keys', async () => {
  const cplc = await server.card()
  const id = await asked(cplc, 0x30)
  const key = new Uint8Array(randomBytes(16))
  const added = await addKeySet(server.context, server.context.db, {
    cplc,
    version: 0x30,
    protocol: 'SCP03',
    keys: { enc: key, mac: key, dek: key },
    origin: 'generated',
    state: 'pending',
  })
  await writeStep(server.context.db, id, {
    step: 'sending',
    from: ['asked'],
    at: new Date().toISOString(),
    newSet: added,
  })
  await expect(run(id)).rejects.toMatchObject({ code: 'rolled_back' })
  expect((await read(cplc)).items).toMatchObject([{ state: 'retired' }, { state: 'active' }])
  expect(await opens(cplc)).toBe('done')
  expect(count(await sent(cplc), 'D8')).toBe(0)
})

test('a rotation whose job was killed for good is continued by a person, but not next to the job', async () => {
  const cplc = await server.card()
  const id = await asked(cplc, 0x30)
  const resume = () => call<Rotation>('PUT', `keys/rotation?id=${id}`)
  expect(await resume()).toMatchObject({ id, step: 'asked', jobId: expect.any(String) })
  expect(await resume()).toMatchObject({ code: 'transition_refused' })
  await sql`update maple.job set state = 'failed', finished_at = now()`.execute(server.db)
  expect(await resume()).toMatchObject({ id, jobId: expect.any(String) })
  // The server runs the new job. Another run beside it could find the element in use and give up.
  await vi.waitFor(
    async () => expect((await read(cplc)).rotation).toMatchObject({ step: 'committed' }),
    { timeout: 20_000 },
  )
  expect(await resume()).toMatchObject({ code: 'transition_refused' })
})

test('a card that refuses the new keys keeps the old ones', async () => {
  const cplc = await server.card()
  const id = await asked(cplc, 0x30)
  await server.breakCard(cplc, { wrongStatusWord: { ins: 0xd8, statusWord: 0x6a84 } })
  await expect(run(id)).rejects.toMatchObject({ code: 'refused' })
  const { rotation } = await read(cplc)
  expect(rotation).toMatchObject({ step: 'refused' })
  expect(rotation?.journal.at(-1)).toMatchObject({ cause: 'card_refused', statusWord: '6A84' })
  await server.breakCard(cplc, {})
  expect(await opens(cplc)).toBe('done')
})

describe('keys that do not match', () => {
  const other = readHex('505152535455565758595A5B5C5D5E5F')
  /** An element whose card has other keys than those that Grove knows. */
  async function wrong(known: Uint8Array): Promise<string> {
    const cplc = await server.card()
    await sql`delete from maple.key_set where cplc = ${cplc}`.execute(server.db)
    const keys = { enc: known, mac: known, dek: known }
    const set = { cplc, version: 0x30, protocol: 'SCP03', keys, origin: 'imported' } as const
    await addKeySet(server.context, server.context.db, set)
    return cplc
  }

  test('block the element before EXTERNAL AUTHENTICATE, and nothing retries', async () => {
    const cplc = await wrong(other)
    const id = await asked(cplc, 0x30)
    await expect(run(id)).rejects.toMatchObject({ code: 'wrong_keys' })
    const { rotation, mismatch } = await read(cplc)
    expect(rotation).toMatchObject({ step: 'blocked' })
    expect(await read(cplc)).toMatchObject({ isBlocked: true })
    expect(mismatch).toMatchObject({ finding: 'testKey', version: 0x30 })
    await run(id).catch(() => {})
    expect(await call('POST', 'keys/rotation', { cplc, version: 0x30 })).toMatchObject({
      code: 'element_blocked',
    })
    const commands = await sent(cplc)
    expect([count(commands, '50'), count(commands, '82'), count(commands, 'D8')]).toEqual([1, 0, 0])
  })

  test('are explained by the session itself, by the journal, and after other keys match again', async () => {
    const cplc = await wrong(other)
    const { id } = await server.open(cplc)
    await server.command(id, 'MplSelect')
    const { body } = await server.channel(id, '03')
    const words = 'The card has the published test keys.'
    expect(body.problem).toMatchObject({
      code: 'wrong_keys',
      message: expect.stringContaining(words) as string,
    })
    await call('POST', 'unblock', { cplc })
    const rotation = await asked(cplc, 0x30)
    await expect(run(rotation)).rejects.toMatchObject({ code: 'wrong_keys' })
    expect((await read(cplc)).rotation?.journal.at(-1)).toMatchObject({
      step: 'blocked',
      note: expect.stringContaining(words) as string,
      cause: 'wrong_keys',
    })
    await call('POST', 'unblock', { cplc })
    const [wrongSet] = (await read(cplc)).items
    await call('DELETE', `keys?id=${wrongSet?.id ?? ''}`)
    const key = '404142434445464748494A4B4C4D4E4F'
    const keys = { enc: key, mac: key, dek: key }
    await call('POST', 'keys', { cplc, version: 0x30, protocol: 'SCP03', keys })
    expect(await opens(cplc)).toBe('done')
    expect((await read(cplc)).mismatch).toBeNull()
    // The session's log contains the reason.
    expect((await server.read(id)).failure?.mismatch).toMatchObject({ finding: 'testKey' })
  })

  test('are reported to need diversification if that explains the card', async () => {
    const cplc = await server.card()
    const { id } = await server.open(cplc)
    await server.command(id, 'MplSelect')
    const { items } = (await server.channel(id, '03')).body
    await server.ask('POST', `/${id}/end`)
    const data = readHex(items[0]?.reply?.slice(0, 20) ?? '')
    const master = { enc: other, mac: other, dek: other }
    const own = diversifiedKeys('KDF3', master, data)
    await sql`update maple.software_card set version = version + 1, state = jsonb_set(state, '{keySets,0,keys}', ${JSON.stringify(
      [own.enc, own.mac, own.dek].map((value, index) => ({
        id: index + 1,
        algorithm: 'AES',
        value: toHex(value),
      })),
    )}::jsonb) where cplc = ${cplc}`.execute(server.db)
    await sql`delete from maple.key_set where cplc = ${cplc}`.execute(server.db)
    const set = { version: 0x30, protocol: 'SCP03', keys: master, origin: 'imported' } as const
    await addKeySet(server.context, server.context.db, { cplc, ...set })
    await expect(run(await asked(cplc, 0x30))).rejects.toMatchObject({ code: 'wrong_keys' })
    expect((await read(cplc)).mismatch).toMatchObject({
      finding: 'ownSetDiversified',
      diversification: 'KDF3',
      foundVersion: 0x30,
    })
    // With the right reading of the same keys the card opens again.
    const made = await call<MasterKey>('POST', 'masters', {
      name: `Bank ${cplc.slice(0, 30)}`,
      algorithm: 'AES',
      keys: { enc: toHex(other), mac: toHex(other), dek: toHex(other) },
    })
    expect(made).toMatchObject({ isUsed: false })
    const [known] = (await read(cplc)).items
    await call('DELETE', `keys?id=${known?.id ?? ''}`)
    const imported = await call('POST', 'keys', {
      cplc,
      version: 0x30,
      protocol: 'SCP03',
      masterId: made.id,
      diversification: 'KDF3',
    })
    expect(imported).toMatchObject({ origin: 'diversified', checkValues: null })
    await call('POST', 'unblock', { cplc })
    expect(await opens(cplc)).toBe('done')
    expect((await read(cplc)).mismatch).toBeNull()
    expect(await call('DELETE', `masters?id=${made.id}`)).toMatchObject({
      code: 'element_has_keys',
    })
    const masters = await call<{ items: MasterKey[] }>('GET', 'masters')
    expect(masters.items.find(({ id }) => id === made.id)).toMatchObject({ isUsed: true })
  })
})

describe('importing keys', () => {
  const key = '404142434445464748494A4B4C4D4E4F'
  const keys = { enc: key, mac: key, dek: key }
  const blank = async () => {
    const cplc = randomBytes(42).toString('hex').toUpperCase()
    await sql`insert into maple.element (cplc) values (${cplc})`.execute(server.db)
    return cplc
  }

  test('compares check values, and repeats no key', async () => {
    const cplc = await blank()
    const body = { cplc, version: 48, protocol: 'SCP03', keys }
    const wrong = await call('POST', 'keys', {
      ...body,
      checkValues: { enc: '504a77', mac: '000000', dek: '504A77' },
    })
    expect(wrong).toMatchObject({
      errors: [{ path: 'checkValues.mac', params: { found: '504A77', expected: '000000' } }],
    })
    expect(JSON.stringify(wrong)).not.toContain(key)
    expect(await call('POST', 'keys', body)).toMatchObject({
      checkValues: ['504A77', '504A77', '504A77'],
      keyLength: 16,
      custody: 'vault',
    })
    expect(await call('POST', 'keys', body)).toMatchObject({ code: 'already_exists' })
  })

  test('retiring destroys them and keeps their description', async () => {
    const cplc = await blank()
    const { id } = await call<{ id: string }>('POST', 'keys', {
      cplc,
      version: 48,
      protocol: 'SCP03',
      keys,
    })
    await call('DELETE', `keys?id=${id}`)
    expect((await read(cplc)).items).toMatchObject([
      { id, state: 'retired', checkValues: ['504A77', '504A77', '504A77'] },
    ])
    const { rows } =
      await sql`select 1 from maple.key_set where id = ${id} and sealed_keys is null and wrapped_key is null`.execute(
        server.db,
      )
    expect(rows).toHaveLength(1)
  })

  test('no event and no job has a key', async () => {
    const cplc = await server.card()
    await run(await asked(cplc, 0x30))
    await call('POST', 'keys', { cplc: await blank(), version: 48, protocol: 'SCP03', keys })
    for (const table of ['event', 'job', 'exchange', 'key_rotation', 'key_set', 'master_key']) {
      const { rows } = await sql<{ row: string }>`
        select to_jsonb(t)::text as row from ${sql.table(`maple.${table}`)} as t`.execute(server.db)
      for (const { row } of rows) expect(row.toUpperCase()).not.toContain(key)
    }
  })

  test('of another service provider do not exist', async () => {
    const cplc = await server.card({}, 'bank-a')
    const userId = randomUUID()
    await sql`insert into maple.service (id, name, name_key) values ('bank-b', 'B', 'b')`.execute(
      server.db,
    )
    await sql`insert into maple.account (id, roles, service_id) values (${userId}, '{security_officer}', 'bank-b')`.execute(
      server.db,
    )
    const stranger = await server.bearer(['DEVELOPER'], userId)
    const { items, rotation } = await read(cplc)
    expect(rotation).toBeNull()
    const answers = await Promise.all([
      call('GET', `keys?cplc=${cplc}`, undefined, stranger),
      call('POST', 'keys', { cplc, version: 1, protocol: 'SCP03', keys }, stranger),
      call('DELETE', `keys?id=${items[0]?.id ?? ''}`, undefined, stranger),
      call('POST', 'keys/rotation', { cplc, version: 48 }, stranger),
      call<Rotation>('PUT', `keys/rotation?id=${await asked(cplc, 0x30)}`, undefined, stranger),
    ])
    expect(answers.map(({ code }) => code)).toEqual(Array(5).fill('not_found'))
    expect(await call<{ items: object[] }>('GET', 'masters', undefined, stranger)).toEqual({
      items: [],
    })
  })
})
