import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPglite, type PgliteServer } from './pglite-server.ts'
import { upkeep } from './pglite-upkeep.ts'
import { openPglitePool } from './pools.ts'
import { isDatabaseUnavailable, isDiskFull } from './unavailable.ts'

/** PostgreSQL exits on an unknown message. */
async function killWithGarbage(server: PgliteServer): Promise<Error> {
  return new Promise((onLost, reject) => {
    server
      .connect({ onReply: () => {}, onLost })
      .then((session) => session.send(new Uint8Array([0x7a, 0, 0, 0, 4])))
      .catch(reject)
  })
}

describe('the embedded database', () => {
  let folder: string
  let server: PgliteServer
  let pool: Pool

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'grove-embedded-'))
    server = await startPglite({ folder })
    pool = openPglitePool(server)
    await pool.query('create table row (id int primary key, text text)')
  })
  afterAll(async () => {
    await pool.end()
    await server.close()
    await rm(folder, { recursive: true })
  })
  const rejection = (query: Promise<unknown>) =>
    query.then(
      () => expect.fail('the query succeeded'),
      (error: unknown) => error,
    )

  const countRows = async (): Promise<number> =>
    (await pool.query('select count(*)::int as count from row')).rows[0].count

  test('syncs exactly once for each committed insert, and never for a read', async () => {
    await pool.query('insert into row values (0)')
    const before = Atomics.load(server.probe, 0)
    for (let id = 1; id <= 40; id++) await pool.query('insert into row values ($1)', [id])
    expect(Atomics.load(server.probe, 0) - before).toBe(40)
    await pool.query('select * from row')
    expect(Atomics.load(server.probe, 0) - before).toBe(40)
  })

  test('a statement that takes too long ends the thread in bounded time, and the next one works @long', async () => {
    const place = await mkdtemp(join(tmpdir(), 'grove-watchdog-'))
    const watched = await startPglite({ folder: place, statementMs: 300 })
    const watchedPool = openPglitePool(watched)
    await watchedPool.query('create table kept (id int)')
    await watchedPool.query('insert into kept values (1)')
    // Long operations turn the limit off, and on again.
    const client = await watchedPool.connect()
    await client.query('set statement_timeout = 0')
    await client.query('select count(*) from generate_series(1, 3000000)')
    await client.query('reset statement_timeout')
    client.release()
    const endless = 'select count(*) from generate_series(1, 1000000000000)'
    const began = performance.now()
    expect(isDatabaseUnavailable(await rejection(watchedPool.query(endless)))).toBe(true)
    expect(performance.now() - began).toBeLessThan(10_000)
    expect((await watchedPool.query('select * from kept')).rows).toEqual([{ id: 1 }])
    await watchedPool.end()
    await watched.close()
    await rm(place, { recursive: true })
  }, 120_000)

  test('leaves the event loop free during a long query', async () => {
    const gaps: number[] = []
    let last = performance.now()
    const timer = setInterval(() => {
      gaps.push(performance.now() - last)
      last = performance.now()
    }, 5)
    const start = performance.now()
    await pool.query('select sum(sqrt(n)) from generate_series(1, 4000000) n')
    const duration = performance.now() - start
    clearInterval(timer)
    expect(Math.max(...gaps)).toBeLessThan(duration / 3)
  })

  test('carries large parameters and results, and many queries at a time', async () => {
    const text = 'Ж'.repeat(2_500_000)
    const { rows } = await pool.query('select $1::text as text', [text])
    expect(rows[0].text).toBe(text)
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) => pool.query('select $1::int as n', [n])),
    )
    expect(answers.map(({ rows: [row] }) => row.n)).toEqual(
      Array.from({ length: 200 }, (_, n) => n),
    )
  })

  test('answers each query after a failed one, also by name', async () => {
    const named = { name: 'by id', text: 'select id from row where id = $1' }
    await pool.query('insert into row values (-2), (-3)')
    await rejection(pool.query('select nothing'))
    await expect(pool.query({ ...named, values: [-2] })).resolves.toMatchObject({ rowCount: 1 })
    await rejection(pool.query({ ...named, values: ['x'] }))
    await expect(pool.query({ ...named, values: [-3] })).resolves.toMatchObject({ rowCount: 1 })
    const error = await rejection(pool.query('insert into row values (-2)'))
    expect(error).toMatchObject({ code: '23505', constraint: 'row_pkey' })
    expect(isDatabaseUnavailable(error)).toBe(false)
  })

  test('rolls back what a dropped connection started, and forgets its statements', async () => {
    await pool.query('insert into row values (-1)')
    const before = await countRows()
    const client = await pool.connect()
    await client.query({ name: 'kept', text: 'select 1' })
    await client.query('begin')
    await client.query('delete from row')
    client.release(new Error('dropped'))
    expect(await countRows()).toBe(before)
    await expect(pool.query({ name: 'kept', text: 'select 2 as two' })).resolves.toMatchObject({
      rows: [{ two: 2 }],
    })
  })

  test('does what background processes do elsewhere: analyze, vacuum, checkpoint', async () => {
    // A connection reports its changes once a second: neither the work nor the check may depend on
    // it.
    const report = () => pool.query('select pg_stat_force_next_flush()')
    await report()
    await pool.query(
      'create table busy as select n, repeat($1, 100) from generate_series(1, 9000) n',
      ['x'],
    )
    await pool.query('delete from busy where n > 5000')
    await upkeep(pool, 1_000_000)
    await report()
    const { rows } = await pool.query(
      `select reltuples, n_dead_tup, pg_current_wal_insert_lsn() - redo_lsn as wal
       from pg_class join pg_stat_user_tables on relid = pg_class.oid, pg_control_checkpoint()
       where pg_class.relname = 'busy'`,
    )
    expect(rows[0]).toMatchObject({ reltuples: 5000, n_dead_tup: 0 })
    expect(Number(rows[0].wal)).toBeLessThan(100_000)
  })

  test('reopens automatically after it stopped, and says that a retry may succeed', async () => {
    const before = await countRows()
    const waiting = rejection(pool.query('select pg_sleep(0.2)'))
    await expect(killWithGarbage(server)).resolves.toSatisfy(isDatabaseUnavailable)
    expect(isDatabaseUnavailable(await waiting)).toBe(true)
    expect(await countRows()).toBe(before)
  })

  test('reports a full disk as unavailable, and recovers automatically once there is room', async () => {
    const before = await countRows()
    Atomics.store(server.probe, 1, 1)
    const errors = []
    for (let id = 1000; id < 1003; id++) {
      errors.push(
        await rejection(pool.query('insert into row values ($1, repeat($2, 9000))', [id, 'x'])),
      )
    }
    Atomics.store(server.probe, 1, 0)
    expect(errors.map(isDatabaseUnavailable)).toEqual([true, true, true])
    expect(errors.some(isDiskFull)).toBe(true)
    await expect
      .poll(
        () =>
          pool.query('insert into row values (2000)').then(
            () => true,
            () => false,
          ),
        { timeout: 20_000 },
      )
      .toBe(true)
    expect(await countRows()).toBe(before + 1)
  })
})
