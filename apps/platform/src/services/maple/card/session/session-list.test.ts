import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storedSessionStates } from '@grove/contract/maple/card/session.rules'
import {
  explaining,
  readsOf,
  rowsRead,
  type Plan,
} from '../../../../core/testing/explained-plans.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { scopeOfService } from '../../../../core/scope.ts'
import { maple } from '../../index.ts'
import type { MapleDb } from '../../base/tables.ts'
import { exchangeList } from './exchange.queries.ts'
import { sessionList } from './session.queries.ts'

let server: TestServer
let db: MapleDb
beforeAll(async () => {
  server = await startTestServer([maple])
  ;({ db } = await maple.open(server.platform))
})
afterAll(() => server.close())

const days = ['2026-03-01', '2026-03-02', '2026-03-03']
const cplcOf = (n: number) => n.toString(16).toUpperCase().padStart(84, '0')

test('every filter of sessions reads a range of an index, however many there are @long', async () => {
  // A service provider with every third, a state that most have and one of each that few have.
  await sql`
    insert into maple.session (id, service_id, cplc, device_id, state, purpose, transport, opened_by,
      opened_at, ended_at, day)
    select gen_random_uuid(), case when n % 3 = 0 then 'acme' end,
      lpad(upper(to_hex(n % 2000)), 84, '0'), 'DEV-' || n % 2000,
      case when n % 1000 = 0 then 'failed' when n % 1000 = 1 then 'expired' else 'closed' end,
      'console', 'virtual', 'user-' || n % 100, '2026-01-01'::date + n * interval '1 minute', now(),
      '2026-01-01'
    from generate_series(1, 60000) as n`.execute(db)
  await sql`vacuum (analyze) maple.session`.execute(db)
  const filters = [
    {},
    ...storedSessionStates.map((state) => ({ state })),
    { cplc: cplcOf(6) },
    { cplc: cplcOf(6), state: 'failed' as const },
    { device: 'DEV-6' },
    { openedBy: 'user-6' },
    { openedBy: 'nobody' },
    { from: '2026-01-20T00:00:00Z', to: '2026-01-21T00:00:00Z' },
    { state: 'closed' as const, from: '2026-01-20T00:00:00Z', to: '2026-01-21T00:00:00Z' },
  ]
  for (const query of filters)
    for (const scope of [null, 'acme'])
      for (const order of ['asc', 'desc'] as const) {
        const plans: Plan[] = []
        const explained = db.withPlugin(explaining('maple.session as session', plans))
        await sessionList.read(explained, { ...query, order }, scopeOfService(scope))
        const reads = readsOf(plans, 'session').filter(
          (node) => node['Relation Name'] === 'session',
        )
        expect(reads.length).toBeGreaterThan(0)
        const types = reads.map((node) => node['Node Type'])
        expect([query, scope, types]).toEqual([
          query,
          scope,
          reads.map(() => expect.stringMatching(/^(Index|Bitmap Heap)/)),
        ])
        const most = Math.max(...reads.map(rowsRead))
        expect([query, scope, most, most <= 1_500]).toEqual([query, scope, most, true])
      }
}, 60_000)

test('a page of exchanges reads one partition, by its key', async () => {
  for (const day of days) {
    await sql`select maple.make_exchange_day(${day}::date)`.execute(db)
    await sql`
      insert into maple.exchange (day, session_id, seq, at, ins, command, reply, status_word, is_failed)
      select ${day}::date, ('00000000-0000-4000-8000-' || lpad(place::text, 12, '0'))::uuid, seq,
        now(), 202, '\\x80ca9f7f00', int4send(seq) || '\\x9000', 36864, seq % 500 = 0
      from generate_series(1, 10) as place, generate_series(1, 3000) as seq`.execute(db)
  }
  await sql`analyze maple.exchange`.execute(db)
  const place = { id: '00000000-0000-4000-8000-000000000007', day: days[1] ?? '' }
  for (const [query, most] of [
    [{}, 51],
    [{ order: 'desc' }, 51],
    [{ from: 1500 }, 51],
    [{ failed: true }, 6],
    [{ q: '00000bb8' }, 3000],
    [{ ins: 'CA' }, 3000],
  ] as const) {
    const plans: Plan[] = []
    await exchangeList.read(db.withPlugin(explaining('maple.exchange', plans)), query, place)
    const reads = readsOf(plans, 'exchange')
    expect([query, reads.map((node) => node['Relation Name'])]).toEqual([
      query,
      ['exchange_20260302'],
    ])
    expect([query, reads.map((node) => node['Node Type'])]).toEqual([
      query,
      [expect.stringMatching(/^(Index|Bitmap Heap)/)],
    ])
    expect([query, Math.max(...reads.map(rowsRead)) <= most]).toEqual([query, true])
  }
})
