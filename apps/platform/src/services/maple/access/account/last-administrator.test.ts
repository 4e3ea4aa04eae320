import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer([maple])
})
beforeEach(async () => {
  await sql`truncate maple.account, maple.service cascade`.execute(server.platform.db)
  await sql`insert into maple.service (id, name, name_key) values ('acme', 'acme', 'acme')`.execute(
    server.platform.db,
  )
})
afterAll(() => server.close())

type Headers = { authorization: string }

async function addAdmin(serviceId: string | null, role: string) {
  const id = randomUUID()
  await sql`
    insert into maple.account (id, roles, service_id) values (${id}, ${[role]}, ${serviceId})
  `.execute(server.platform.db)
  return { id, headers: await server.bearer(['DEVELOPER'], id) }
}

/** Those whose account lets them manage accounts. */
async function administrators(): Promise<number> {
  const { rows } = await sql`
    select from maple.account
    where roles && '{admin,provider_admin}' and expires_at > now()`.execute(server.platform.db)
  return rows.length
}

const url = '/api/maple/account'
const expired = '2020-01-01T00:00:00Z'
/** Every way in which an administrator can take away another's rights. */
const ways = {
  'delete the account': (id: string) => ({ method: 'DELETE', url: `${url}?id=${id}` }),
  'let it expire': (id: string) => ({
    method: 'PUT',
    url: `${url}?id=${id}`,
    payload: { expiresAt: expired },
  }),
  'take its roles': (id: string) => ({
    method: 'PUT',
    url: `${url}?id=${id}`,
    payload: { roles: [] },
  }),
  'revoke the role': (id: string, role: string) => ({
    method: 'DELETE',
    url: `/api/maple/roles?id=${id}&role=${role}`,
  }),
  'revoke it of many': (id: string, role: string) => ({
    method: 'POST',
    url: `${url}/bulk`,
    payload: { ids: [id], action: 'revoke', role },
  }),
  'let many expire': (id: string) => ({
    method: 'POST',
    url: `${url}/bulk`,
    payload: { ids: [id], action: 'setExpiry', expiresAt: expired },
  }),
} satisfies Record<string, (id: string, role: string) => { method: string; url: string }>

type Way = keyof typeof ways

async function take(way: Way, headers: Headers, { id, role }: { id: string; role: string }) {
  const asked = ways[way](id, role)
  const answer = await server.app.inject({ ...asked, headers } as object)
  expect([200, 201, 202, 204, 403]).toContain(answer.statusCode)
}

/** Changes of many are over. */
const jobsDone = () =>
  vi.waitFor(async () => {
    const { rows } = await sql`
      select from maple.job where state in ('queued', 'running')`.execute(server.platform.db)
    expect(rows).toEqual([])
  }, 20_000)

const rounds = process.env['GROVE_TESTS'] === 'short' ? 1 : 3

const cases = (Object.keys(ways) as Way[]).flatMap((way) => [
  [way, 'admin', 'acme'] as const,
  [way, 'provider_admin', 'acme'] as const,
  [way, 'admin', null] as const,
])

test.each(cases)(
  'of two who %s of each other at once one stays (%s of %s)',
  async (way, role, of) => {
    for (let round = 0; round < rounds; round++) {
      await sql`delete from maple.account`.execute(server.platform.db)
      const [one, other] = [await addAdmin(of, role), await addAdmin(of, role)]
      await Promise.all([
        take(way, one.headers, { id: other.id, role }),
        take(way, other.headers, { id: one.id, role }),
      ])
      await jobsDone()
      expect([round, await administrators()]).toEqual([round, 1])
    }
  },
)

test('of three who each remove the next in different ways one stays', async () => {
  for (let round = 0; round < rounds; round++) {
    await sql`delete from maple.account`.execute(server.platform.db)
    const all = await Promise.all([1, 2, 3].map(() => addAdmin('acme', 'admin')))
    const chosen = ['delete the account', 'revoke the role', 'let it expire'] as const
    await Promise.all(
      chosen.map((way, index) => {
        const { id = '' } = all[(index + 1) % 3] ?? {}
        return take(way, all[index]?.headers ?? { authorization: '' }, { id, role: 'admin' })
      }),
    )
    const left = await administrators()
    expect([round, left > 0]).toEqual([round, true])
  }
})
