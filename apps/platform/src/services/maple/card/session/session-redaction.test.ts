import { inspect } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as fc from 'fast-check'
import { redactionOf } from '@grove/contract/maple/program/redaction.rules'
import { encodeCommand } from '@grove/secure-element/apdu'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { putKey } from '@grove/secure-element/host/put-key'
import type { SecurityLevel } from '@grove/secure-element/secure-channel/security-level'
import { processActor } from '../../../../core/actor.ts'
import { openSession } from './open-session.ts'
import { withoutData } from './redact.ts'
import { startSessionServer, type SessionServer } from './testing/session-server.ts'

let server: SessionServer
beforeAll(async () => {
  server = await startSessionServer()
})
afterAll(() => server.close())

/** Bytes that occur nowhere by chance, and in a test only where expected. */
const secretOf = (number: number) =>
  `C0FFEE${number.toString(16).toUpperCase().padStart(2, '0')}DEADBEEF5EC2E7AB`

/** Everything that the service stores, as text: bytes are in it as hex. */
async function stored(): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = 'maple' and relkind in ('r', 'p') and not relispartition`.execute(server.db)
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } =
        await sql`select t::text as row from ${sql.table(`maple.${name}`)} as t`.execute(server.db)
      return JSON.stringify(rows)
    }),
  )
  return texts.join('').toUpperCase()
}

async function expectNowhere(id: string, secret: string): Promise<void> {
  const file = async (format: string) =>
    (
      await server.app.inject({
        url: `/api/maple/sessions/se/${id}/export?format=${format}`,
        headers: server.admin,
      })
    ).body
  const trace = async (form: string) =>
    (
      await server.app.inject({
        url: `/api/maple/sessions/se/${id}/pcap?form=${form}`,
        headers: server.admin,
      })
    ).rawPayload.toString('hex')
  const seen = [
    await stored(),
    JSON.stringify(await server.exchanges(id)),
    await file('text'),
    await file('json'),
    await file('script'),
    await trace('plain'),
    await trace('sent'),
    await server.streamed(id),
  ]
  for (const text of seen) expect(text.toUpperCase()).not.toContain(secret)
  // The check would find it: data that is not secret is there.
  for (const text of seen) expect(text.toUpperCase()).toContain('9F7F')
}

test.each<[string, string, object]>([
  ['VERIFY', '0020000008', {}],
  ['CHANGE REFERENCE DATA', '0024000108', {}],
  ['VERIFY of another class and with wrong lengths', 'A0200081FF', {}],
  ['STORE DATA that is marked', '80E2800008', { isSecret: true }],
  ['STORE DATA whose data is encrypted', '80E2E80008', {}],
  ['any command that is marked', '80DA000008', { isSecret: true }],
])('the data of %s is stored nowhere', async (name, header, more) => {
  const secret = secretOf(name.length).slice(0, 16)
  for (const isProtected of [false, true]) {
    const { id } = await server.open(await server.card())
    await server.command(id, 'MplGetData', { tag: '9F7F' })
    if (isProtected) {
      await server.command(id, 'MplSelect')
      await server.channel(id, '01')
    }
    const { status, body } = await server.raw(id, `${header}${secret}`, more)
    expect([status, body.items.length]).toEqual([200, 1])
    expect(body.items[0]?.redacted?.reason).toBe(/VERIFY|CHANGE/.test(name) ? 'pin' : 'secret')
    await expectNowhere(id, secret)
    await server.ask('POST', `/${id}/end`)
  }
})

test('STORE DATA of a form is secret if its form says so', async () => {
  const { id } = await server.open(await server.card())
  await server.command(id, 'MplGetData', { tag: '9F7F' })
  const secret = secretOf(99)
  await server.command(id, 'MplStoreData', { data: secret, isSecret: true })
  await expectNowhere(id, secret)
})

test.each<[SecurityLevel, number]>([
  [0x00, 1],
  [0x01, 1],
  [0x03, 1],
  [0x33, 1],
  [0x33, 9],
])('PUT KEY at level %i of %i keys leaves zeros, protected and not', async (level, count) => {
  const { context } = server
  const session = await openSession(context, processActor('test'), {
    cplc: await server.card(),
    purpose: 'keys',
  })
  await session.send(encoded('80CA9F7F00'))
  await session.select()
  await session.openChannel({ level })
  const secret = secretOf(level + count)
  const encrypted = readHex(secret.padEnd(64, '7'))
  const key = { algorithm: 'AES', length: 32, encrypted, checkValue: readHex('010203') } as const
  const command = putKey({ version: 0x31, keys: Array.from({ length: count }, () => key) })
  // Too long for one command, it is sent in fragments.
  await session.send({ ...command, isExtended: false })
  await session.flush()
  type Ranges = Record<'command' | 'wrapped', [number, number] | null> & { reason: string }
  const { rows } = await sql<{ command: Buffer | null; sent: Buffer | null; redacted: Ranges }>`
    select command, sent, redacted from maple.exchange where session_id = ${session.id} and ins = 216
    order by seq`.execute(server.db)
  expect(rows.length).toBe(count > 1 ? 2 : 1)
  for (const { command, sent, redacted } of rows) {
    expect(redacted.reason).toBe('keys')
    for (const [bytes, range] of [
      [command, redacted.command],
      [sent, redacted.wrapped],
    ] as const) {
      if (!bytes || !range) continue
      expect(range[1] - range[0]).toBeGreaterThan(20)
      // The header and the lengths before it, an Le after it.
      expect([range[0] <= 7, bytes.length - range[1] <= 2]).toEqual([true, true])
      expect(bytes.subarray(...range).every((byte) => byte === 0)).toBe(true)
    }
    expect([command !== null, sent !== null]).toContain(true)
  }
  await expectNowhere(session.id, secret)
  await session.end()
})

const encoded = (hex: string) => {
  const [cla = 0, ins = 0, p1 = 0, p2 = 0] = readHex(hex)
  return { cla, ins, p1, p2, data: new Uint8Array(), le: 256, isExtended: false }
}

test('an error of a session contains nothing of its command', async () => {
  const { context } = server
  const cplc = await server.card()
  const session = await openSession(context, processActor('test'), { cplc, purpose: 'keys' })
  await session.select()
  await session.openChannel({ level: 0x01 })
  await server.breakCard(cplc, { powerCutBeforeWrite: 1 })
  const secret = secretOf(77)
  const key = {
    algorithm: 'AES',
    length: 16,
    encrypted: readHex(secret.padEnd(32, '7')),
    checkValue: readHex('010203'),
  } as const
  // The card stores keys that it can decrypt, and loses its power at that.
  const error: unknown = await session.send(putKey({ version: 0x31, keys: [key, key, key] })).then(
    () => undefined,
    (cause: unknown) => cause,
  )
  const text = inspect(error, { depth: 20, showHidden: true }).toUpperCase()
  expect(text).not.toContain(secret)
  expect(text).not.toContain('UINT8ARRAY')
  await session.end()
  expect(await stored()).not.toContain(secret)
})

test('no bytes after the header of a secret command survive, whatever their lengths say', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(0x20, 0x21, 0x24, 0x25, 0x2c, 0x2d, 0xd8),
      fc.integer({ min: 0, max: 255 }),
      fc.uint8Array({ minLength: 6, maxLength: 300 }),
      (ins, cla, rest) => {
        const command = Uint8Array.from([cla, ins, 0, 0, ...rest])
        expect(redactionOf(command, false)).not.toBeNull()
        const { bytes, range } = withoutData(command)
        const [from, to] = range
        expect(from).toBeLessThanOrEqual(7)
        // What follows the data is at most an Le.
        expect(command.length - to).toBeLessThanOrEqual(2)
        expect(bytes.subarray(from, to).every((byte) => byte === 0)).toBe(true)
      },
    ),
  )
  const plain = encodeCommand(
    putKey({
      version: 1,
      keys: [
        {
          algorithm: 'AES',
          length: 16,
          encrypted: readHex(secretOf(1)),
          checkValue: readHex('010203'),
        },
      ],
    }),
  )
  expect(toHex(withoutData(plain).bytes)).toMatch(/^80D80001..0+$/)
})
