import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readHex, toHex } from '@grove/secure-element/bytes'
import type { Database } from '../../../../core/database/database.ts'
import { migrationsOf } from '../../../../core/service.ts'
import { testDatabase } from '../../../../core/testing/test-database.ts'
import type { MapleTables } from '../../base/tables.ts'
import { maple } from '../../index.ts'
import { ReaderLost } from '../reader/reader-hub.ts'
import { openElementRelay, type ElementRelay, type LocalElements } from './element-relay.ts'

const cplc = 'AB'.repeat(42)

let database: Database
let relays: { here: ElementRelay; there: ElementRelay }
let heard: string[]
let answer: () => Uint8Array
const thereId = randomUUID()

/** Loses its notices: the changes are found all the same. */
const silent = {
  send: async () => {},
  on: () => () => {},
  isLive: () => false,
  close: async () => {},
}

beforeAll(async () => {
  database = await testDatabase(migrationsOf([maple]))
  const open = (processId: string, local: LocalElements) =>
    openElementRelay({
      db: database.db.withTables<MapleTables>(),
      processId,
      notices: silent,
      secret: 'a'.repeat(64),
      kinds: { device: local, reader: { ...local, isAny: () => false } },
    })
  const none: LocalElements = {
    exchange: async () => expect.fail('Nothing is here.'),
    end: () => {},
    isAny: () => false,
  }
  relays = {
    here: open(randomUUID(), none),
    there: open(thereId, {
      async exchange({ at, isFirst, command }) {
        heard.push(`${at} ${isFirst ? 'first' : 'then'} ${toHex(command)}`)
        return isFirst ? readHex(`9F7F2A${cplc}9000`) : answer()
      },
      end: (at) => heard.push(`${at} end`),
      isAny: () => true,
    }),
  }
  relays.there.start(() => {})
})
beforeEach(() => {
  heard = []
  answer = () => readHex('9000')
})
afterAll(async () => {
  relays.here.close()
  relays.there.close()
  await database.close()
})

const wayTo = () => relays.here.wayTo({ processId: thereId, kind: 'device', at: 'robot' }, cplc)
const left = async () => (await sql`select * from maple.relayed_exchange`.execute(database.db)).rows

test('commands reach an element of another process in order, and leave nothing behind', async () => {
  const way = wayTo()
  expect(toHex(await way.transmit(readHex('00A4040000')))).toBe('9000')
  answer = () => readHex('6A82')
  expect(toHex(await way.transmit(readHex('80CA006600')))).toBe('6A82')
  await way.close()
  await expect.poll(() => heard.at(-1), { timeout: 5000 }).toBe('robot end')
  expect(heard).toEqual([
    'robot first 80CA9F7F00',
    'robot then 00A4040000',
    'robot then 80CA006600',
    'robot end',
  ])
  await expect.poll(left, { timeout: 5000 }).toEqual([])
})

test('a command that the element did not receive, or possibly not, fails as it did there @long', async () => {
  const way = wayTo()
  await way.transmit(readHex('00A4040000'))
  for (const code of ['lost', 'inUse'] as const) {
    answer = () => {
      throw new ReaderLost(code)
    }
    await expect(way.transmit(readHex('00A4040000'))).rejects.toMatchObject({ code })
  }
  answer = () => {
    throw new Error('A fault.')
  }
  await expect(way.transmit(readHex('00A4040000'))).rejects.toMatchObject({ code: 'lost' })
})

test('data that waits for another process is encrypted', async () => {
  const waiting = relays.here.wayTo({ processId: randomUUID(), kind: 'device', at: 'robot' }, cplc)
  void waiting.transmit(readHex('00A4040000')).catch(() => {})
  await expect.poll(async () => (await left()).length, { timeout: 5000 }).toBe(1)
  expect(JSON.stringify(await left())).not.toMatch(/80CA9F7F00|robot/i)
  await sql`update maple.relayed_exchange set failure = 'absent'`.execute(database.db)
})
