import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readHex } from '@grove/secure-element/bytes'
import { softwareCard } from '@grove/secure-element/card/software-card'
import { getStatus } from '@grove/secure-element/host/commands'
import { openSecureChannel } from '@grove/secure-element/secure-channel/open-channel'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'
import type { MapleTables } from '../../base/tables.ts'
import type { KeyContext } from './key-provider.ts'
import { addKeySet, keySourceFor } from './key-source.ts'

let server: TestServer
let context: KeyContext
beforeAll(async () => {
  server = await startTestServer([maple])
  context = await maple.open(server.platform)
})
afterAll(() => server.close())

const standard = readHex('404142434445464748494A4B4C4D4E4F')
const keys = { enc: standard, mac: standard, dek: standard }

async function elementWith(protocol: 'SCP02' | 'SCP03', version: number): Promise<string> {
  const cplc = randomBytes(42).toString('hex').toUpperCase()
  await sql`insert into maple.element (cplc) values (${cplc})`.execute(context.db)
  await addKeySet(context, context.db, { cplc, version, protocol, keys, origin: 'imported' })
  return cplc
}

test.each([
  ['SCP03', 0x30],
  ['SCP02', 0x20],
] as const)('opens a channel of %s with the keys of the vault', async (protocol, version) => {
  const cplc = await elementWith(protocol, version)
  const channel = await openSecureChannel(softwareCard({ seed: cplc, protocol }), {
    keys: await keySourceFor(context, { cplc }),
    level: 0x03,
    scp02Implementation: 0x55,
  })
  expect(await channel.send(getStatus({ subset: 'issuer' }))).toMatchObject({ statusWord: 0x9000 })
  expect(channel.keyVersion).toBe(version)
})

test('no column of a key set holds a key', async () => {
  await elementWith('SCP03', 0x30)
  const { rows } = await sql<{ row: string }>`
    select to_jsonb(key)::text as row from maple.key_set as key`.execute(
    server.platform.db.withTables<MapleTables>(),
  )
  for (const { row } of rows) expect(row.toUpperCase()).not.toContain('404142434445464748494A4B')
  expect(rows[0]?.row).toContain('504A77')
})

test('keys copied to the row of another element open nothing', async () => {
  const [from, to] = [await elementWith('SCP03', 0x30), await elementWith('SCP03', 0x30)]
  await sql`update maple.key_set as own set vault_key = other.vault_key, wrapped_key = other.wrapped_key,
    sealed_keys = other.sealed_keys from maple.key_set as other
    where own.cplc = ${to} and other.cplc = ${from}`.execute(context.db)
  const opening = openSecureChannel(softwareCard({ seed: to }), {
    keys: await keySourceFor(context, { cplc: to }),
    level: 0x01,
  })
  await expect(opening).rejects.toMatchObject({ code: 'vault_unavailable' })
})

test('says which keys are known when the card uses others', async () => {
  const cplc = await elementWith('SCP03', 0x31)
  await expect(keySourceFor(context, { cplc, keyVersion: 0x30 })).rejects.toMatchObject({
    code: 'key_missing',
    message: 'Key version 30 is not known; known are 31 (SCP03).',
  })
  const opening = openSecureChannel(softwareCard({ seed: cplc }), {
    keys: await keySourceFor(context, { cplc }),
    level: 0x01,
  })
  await expect(opening).rejects.toMatchObject({ code: 'key_missing' })
})

test('a blocked element gets no keys', async () => {
  const cplc = await elementWith('SCP03', 0x30)
  await sql`update maple.element set state = 'blocked' where cplc = ${cplc}`.execute(context.db)
  await expect(keySourceFor(context, { cplc })).rejects.toMatchObject({ code: 'element_blocked' })
})
