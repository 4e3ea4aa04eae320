import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Calls } from '@grove/contract/calls'
import type { ResponseOf } from '@grove/contract/call'
import type { KeyExport, KeySet, MasterKey } from '@grove/contract/maple/card/key'
import type { Problem } from '@grove/contract/shapes'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { unwrapKey } from '@grove/secure-element/keys/key-wrap'
import { unwrapKeyBlock } from '@grove/secure-element/keys/tr31'
import { startSessionServer, type SessionServer } from '../session/testing/session-server.ts'
import { forgetExports } from './key-export.queries.ts'
import { wrapKeys } from './key-export.service.ts'

let server: SessionServer
let others: { authorization: string }[]
beforeAll(async () => {
  server = await startSessionServer({ jobs: { pollMs: 20, hasRecurring: false } })
  others = await Promise.all([randomUUID(), randomUUID()].map((id) => server.bearer(['ADMIN'], id)))
})
afterAll(() => server.close())

const call = async <Body>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  payload?: object,
  headers: Record<string, string> = server.admin,
): Promise<Body & Problem> => {
  const request = { method, url: `/api/maple/${url}`, headers, ...(payload && { payload }) }
  const answer = await server.app.inject(request)
  return answer.statusCode === 204 ? ({} as Body & Problem) : answer.json()
}

type Exports = ResponseOf<Calls['GET /api/maple/se/keys/export']>
const transportKey = '00112233445566778899AABBCCDDEEFF'
const keysOf = async (cplc: string) =>
  (await call<{ items: KeySet[] }>('GET', `se/keys?cplc=${cplc}`)).items
const exportsOf = async (cplc: string, headers = server.admin) =>
  (await call<Exports>('GET', `se/keys/export?cplc=${cplc}`, undefined, headers)).items
const ask = async (cplc: string, more: object = {}) =>
  call<KeyExport>('POST', 'se/keys/export', {
    id: (await keysOf(cplc))[0]?.id,
    transportKey,
    ...more,
  })
const approve = (id: string, headers: { authorization: string }) =>
  call('PUT', `approvals?id=${id}`, { isApproved: true }, headers)

async function decided(cplc: string, { approval }: KeyExport): Promise<KeyExport | undefined> {
  for (const headers of others) await approve(approval.id, headers)
  return vi.waitFor(async () => {
    const [found] = await exportsOf(cplc)
    expect(found?.document).not.toBeNull()
    return found
  }, 10_000)
}

test('keys are exported under the transport key once two others approve, only for the requester', async () => {
  const cplc = await server.card()
  const asked = await ask(cplc)
  expect(asked).toMatchObject({
    cplc,
    domain: null,
    version: 0x30,
    document: null,
    approval: { state: 'pending' },
    wrapping: 'AES-KWP',
  })
  const found = await decided(cplc, asked)
  expect(found?.approval.state).toBe('approved')
  const { document } = found ?? {}
  expect(document).toMatchObject({
    format: 'grove-keys',
    cplc,
    domain: null,
    version: 0x30,
    protocol: 'SCP03',
    wrapping: 'AES-KWP',
    checkValues: ['504A77', '504A77', '504A77'],
  })
  const standard = '404142434445464748494A4B4C4D4E4F'
  const opened = unwrapKey(readHex(transportKey), readHex(document?.keys.enc ?? ''))
  expect(toHex(opened)).toBe(standard)
  expect(JSON.stringify(document)).not.toContain(standard)
  expect(await exportsOf(cplc, others[0])).toEqual([])
  // The transport key is gone.
  const { rows } = await sql`
    select 1 from maple.key_export where vault_key is not null or sealed_keys is not null`.execute(
    server.db,
  )
  expect(rows).toEqual([])
  const { rows: events } = await sql<{ action: string }>`
    select action from maple.event where subject = ${cplc} and action like 'key_set.%'
    order by id`.execute(server.db)
  expect(events.map(({ action }) => action)).toEqual(['key_set.export', 'key_set.wrap'])
})

test('a single approval, or a refusal, exports nothing', async () => {
  const cplc = await server.card()
  const asked = await ask(cplc)
  expect((await ask(cplc)).code).toBe('transition_refused')
  expect((await approve(asked.approval.id, server.admin)).code).toBe('own_request')
  const [first] = others
  if (!first) throw new Error('there are others')
  await approve(asked.approval.id, first)
  expect(await exportsOf(cplc)).toMatchObject([{ document: null, approval: { state: 'pending' } }])
  await sql`update maple.approval set state = 'refused' where id = ${asked.approval.id}`.execute(
    server.db,
  )
  expect(await exportsOf(cplc)).toMatchObject([{ document: null, approval: { state: 'refused' } }])
})

test('another Grove imports what was exported, and no other transport key opens it', async () => {
  const cplc = await server.card()
  const found = await decided(cplc, await ask(cplc))
  const keys = found?.document?.keys
  await sql`delete from maple.key_export where cplc = ${cplc}`.execute(server.db)
  await sql`delete from maple.key_set where cplc = ${cplc}`.execute(server.db)
  const set = { cplc, version: 0x30, protocol: 'SCP03' }
  const wrong = await call('POST', 'se/keys', {
    ...set,
    wrapped: { ...keys, transportKey: transportKey.replace('00', '01') },
  })
  expect(wrong.errors?.[0]).toMatchObject({ path: 'wrapped.transportKey', code: 'transportKey' })
  const imported = await call<KeySet>('POST', 'se/keys', {
    ...set,
    wrapped: { ...keys, transportKey },
  })
  expect(imported).toMatchObject({ checkValues: ['504A77', '504A77', '504A77'] })
  const both = await call('POST', 'se/keys', {
    ...set,
    wrapped: { ...keys, transportKey },
    keys: { enc: transportKey, mac: transportKey, dek: transportKey },
  })
  expect(both.errors?.[0]?.path).toBe('wrapped')
})

test.each([
  ['SCP03', 'AES', ['D0AB30E', 'M6AC30E', 'K0AB30E']],
  ['SCP02', 'DES', ['D0TB30E', 'M3TC30E', 'K0TB30E']],
] as const)(
  'keys for %s are exported in key blocks that state their use',
  async (protocol, algorithm, headers) => {
    const cplc = await server.card()
    await sql`delete from maple.key_set where cplc = ${cplc}`.execute(server.db)
    const clear = { enc: 'A1'.repeat(16), mac: 'B2'.repeat(16), dek: 'C3'.repeat(16) }
    const set = { cplc, version: 0x30, protocol }
    const before = await call<KeySet>('POST', 'se/keys', { ...set, keys: clear })
    expect(before.algorithm).toBe(algorithm)
    const asked = await ask(cplc, { wrapping: 'TR-31' })
    expect(asked.wrapping).toBe('TR-31')
    // Approvers see it.
    const { items } = await call<{ items: { input: object }[] }>(
      'GET',
      `approvals?id=${asked.approval.id}`,
      undefined,
      others[0],
    )
    expect(items[0]?.input).toMatchObject({ wrapping: 'TR-31' })
    const { document, wrapping } = (await decided(cplc, asked)) ?? {}
    expect(wrapping).toBe('TR-31')
    expect(document).toMatchObject({ format: 'grove-keys', wrapping: 'TR-31', protocol })
    const names = ['enc', 'mac', 'dek'] as const
    const opened = names.map((name) =>
      unwrapKeyBlock(readHex(transportKey), document?.keys[name] ?? ''),
    )
    expect(opened.map(({ header }) => Object.values(header).join(''))).toEqual(headers)
    expect(opened.map(({ key }) => toHex(key))).toEqual(names.map((name) => clear[name]))

    await sql`delete from maple.key_set where cplc = ${cplc}`.execute(server.db)
    const keys = document?.keys ?? clear
    const swapped = await call('POST', 'se/keys', {
      ...set,
      wrapped: { ...keys, mac: keys.dek, transportKey },
    })
    expect(swapped.errors?.[0]).toMatchObject({ path: 'wrapped.mac', code: 'keyUsage' })
    const other = { ...set, protocol: protocol === 'SCP03' ? 'SCP02' : 'SCP03' }
    const misread = await call('POST', 'se/keys', { ...other, wrapped: { ...keys, transportKey } })
    expect(misread.errors?.[0]).toMatchObject({ path: 'wrapped.enc', code: 'keyUsage' })
    const wrong = await call('POST', 'se/keys', {
      ...set,
      wrapped: { ...keys, transportKey: transportKey.replace('00', '01') },
    })
    expect(wrong.errors?.[0]).toMatchObject({ path: 'wrapped.transportKey', code: 'transportKey' })
    const imported = await call<KeySet>('POST', 'se/keys', {
      ...set,
      wrapped: { ...keys, transportKey },
    })
    expect(imported.checkValues).toEqual(before.checkValues)
  },
)

test('a process that does not know the format of an export uses no other one', async () => {
  const cplc = await server.card()
  const { approval } = await ask(cplc, { wrapping: 'TR-31' })
  // Stored like an export by the previous release.
  const stored = sql`
    update maple.key_export set document = '{"wrapping":"AES-KWP"}', vault_key = null,
      wrapped_key = null, sealed_keys = null where approval_id = ${approval.id}`.execute(server.db)
  await expect(stored).rejects.toThrow('key_export_document')
  // A request that a future release may make.
  await sql`update maple.key_export set wrapping = 'later' where approval_id = ${approval.id}`.execute(
    server.db,
  )
  const wrapping = wrapKeys(server.context, { id: approval.id, requestedBy: 'anna' })
  await expect(wrapping).rejects.toMatchObject({ code: 'unsupported', isFinal: false })
  expect((await ask(cplc, { wrapping: 'later' })).code).toBe('invalid_request')
})

test('derived, retired and unknown keys, and a short transport key, are refused with the reason', async () => {
  const cplc = await server.card()
  const long = await server.card()
  const keys = { enc: 'AB'.repeat(32), mac: 'AC'.repeat(32), dek: 'AD'.repeat(32) }
  await call('POST', 'se/keys', { cplc: long, version: 0x31, protocol: 'SCP03', keys })
  const short = await ask(long)
  expect([short.code, short.errors?.[0]?.path]).toEqual(['invalid_request', 'transportKey'])
  const master = await call<MasterKey>('POST', 'se/masters', {
    name: `Bank ${cplc.slice(30, 40)}`,
    algorithm: 'AES',
    keys: { enc: transportKey, mac: transportKey, dek: transportKey },
  })
  await call('POST', 'se/keys', {
    cplc,
    version: 0x32,
    protocol: 'SCP03',
    masterId: master.id,
    diversification: 'KDF3',
  })
  expect((await ask(cplc)).detail).toContain('derived')
  const [derived] = await keysOf(cplc)
  await call('DELETE', `se/keys?id=${derived?.id}`)
  expect((await ask(cplc)).detail).toContain('in use')
  expect((await ask(cplc, { id: randomUUID() })).code).toBe('not_found')
})

test('exports that nobody fetched are deleted after a week', async () => {
  const cplc = await server.card()
  await ask(cplc)
  await forgetExports(server.db)
  expect(await exportsOf(cplc)).toHaveLength(1)
  await sql`update maple.key_export set created_at = now() - interval '8 days'
    where cplc = ${cplc}`.execute(server.db)
  await forgetExports(server.db)
  expect(await exportsOf(cplc)).toEqual([])
})
