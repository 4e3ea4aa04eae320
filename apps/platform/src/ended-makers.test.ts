import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestServer, type TestServer } from './core/testing/test-platform.ts'
import { cedar } from './services/cedar/index.ts'
import { maple } from './services/maple/index.ts'

// Whatever someone creates acts for them later, so nothing may be created once they have left. Each
// is requested during a transaction that removes its creator. The embedded database has only one
// connection.
describe.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')('someone who leaves', () => {
  let server: TestServer
  let admin: { authorization: string }
  beforeAll(async () => {
    server = await startTestServer([cedar, maple])
    const id = randomUUID()
    await enter(id)
    admin = await server.bearer(['ADMIN'], id)
  })
  afterAll(() => server.close())

  const send = async (url: string, headers: { authorization: string }, payload: object) => {
    const answer = await server.app.inject({ method: 'POST', url, headers, payload })
    return { status: answer.statusCode, body: answer.json() }
  }

  const enter = (id: string) =>
    sql`insert into platform.person (id) values (${id})`.execute(server.platform.db)

  async function maker(role: string) {
    const id = randomUUID()
    await enter(id)
    const { body } = await send('/api/cedar/provider', admin, { name: randomUUID().slice(0, 8) })
    const provider: string = body.id
    const linked = await send('/api/cedar/user', admin, { provider, user: id, action: 'link' })
    expect(linked.status).toBe(200)
    return { id, provider, headers: await server.bearer([role], id) }
  }
  type Maker = Awaited<ReturnType<typeof maker>>

  const made = {
    'API key': {
      url: (who: Maker) => `/api/provider/${who.provider}/key`,
      table: 'cedar.provider_key',
    },
    'publish key': { url: () => '/api/developer/publishKey', table: 'cedar.publish_key' },
    reader: { url: () => '/api/maple/reader', table: 'maple.reader' },
    account: { url: () => '/api/maple/account', table: 'maple.account' },
  }
  const bodies: Record<keyof typeof made, (who: Maker) => object> = {
    'API key': () => ({ name: 'Build', scopes: ['device.read'] }),
    'publish key': ({ provider }) => ({ name: 'Build', providerId: provider }),
    reader: () => ({ name: 'Desk' }),
    account: ({ id }) => ({ id, roles: ['admin'] }),
  }

  const ways = {
    'their account is closed': ({ id }: Maker) =>
      sql`update platform.person set is_closed = true where id = ${id}`,
    'they are unlinked': ({ id, provider }: Maker) => sql`
      with held as (select from cedar.provider where id = ${provider} for update)
      delete from cedar.provider_user u using held
      where u.provider_id = ${provider} and u.user_id = ${id}`,
  }

  const cases = (Object.keys(made) as (keyof typeof made)[]).flatMap((what) =>
    (Object.keys(ways) as (keyof typeof ways)[])
      // Readers and accounts do not belong to a provider.
      .filter((way) => what.endsWith('key') || way === 'their account is closed')
      .map((way) => ({ what, way })),
  )

  test.each(cases)('creates no $what while $way', async ({ what, way }) => {
    const role = what.endsWith('key') ? 'DEVELOPER' : 'ADMIN'
    const stays = await maker(role)
    const theirs = await send(made[what].url(stays), stays.headers, bodies[what](stays))
    expect(theirs.status).toBe(201)
    const who = await maker(role)
    const { db } = server.platform
    const countOf = async () =>
      (
        await sql<{
          n: number
        }>`select count(*)::int as n from ${sql.table(made[what].table)}`.execute(db)
      ).rows[0]?.n
    const before = await countOf()
    let asked: ReturnType<typeof send> | undefined
    await db.transaction().execute(async (tx) => {
      await ways[way](who).execute(tx)
      asked = send(made[what].url(who), who.headers, bodies[what](who))
      const isDone = asked.then(() => true)
      await vi.waitFor(
        async () => {
          const { rows } = await sql`
            select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
          const isOver = await Promise.race([isDone, Promise.resolve(false)])
          expect(rows.length > 0 || isOver).toBe(true)
        },
        { timeout: 10_000, interval: 20 },
      )
    })
    expect([401, 404, 400]).toContain((await asked)?.status)
    expect(await countOf()).toBe(before)
  })
})
