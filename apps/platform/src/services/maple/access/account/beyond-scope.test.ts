import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MapleAccount } from '@grove/contract/maple/access/account'
import { processActor } from '../../../../core/actor.ts'
import { resourceClient } from '../../../../core/testing/resource-client.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { accountEvents } from '../context.ts'
import { maple } from '../../index.ts'
import type { MapleDb, MapleTables } from '../../base/tables.ts'
import { accountsBeyondScope } from './beyond-scope.ts'

let server: TestServer
let db: MapleDb
beforeAll(async () => {
  server = await startTestServer([maple])
  db = server.platform.db.withTables<MapleTables>()
  for (const id of ['acme', 'umbra'])
    await sql`insert into maple.service (id, name, name_key) values (${id}, ${id}, ${id})`.execute(
      db,
    )
})
afterAll(() => server.close())

const accountsOf = async (id: string | undefined) =>
  resourceClient<MapleAccount>(
    server,
    '/api/maple/account',
    await server.bearer([id === undefined ? 'ADMIN' : 'DEVELOPER'], id),
  )

/** An account as created by a call without the caller check, with its event. */
async function madeUnchecked(actor: string, serviceId: string | null): Promise<string> {
  const id = randomUUID()
  await sql`
    insert into maple.account (id, roles, service_id) values (${id}, '{admin}', ${serviceId})
  `.execute(db)
  const { origin } = processActor('test')
  const after = { id, roles: ['admin'], serviceId, expiresAt: null }
  await accountEvents.record(db, { id: actor, origin }, 'account.create', id, { after })
  return id
}

test('accounts created beyond a scope are found in the audit trail, with what they created', async () => {
  const admin = await accountsOf(undefined)
  const add = (given: object) => admin.create({ id: randomUUID(), roles: ['admin'], ...given })
  const scoped = await add({ serviceId: 'acme' })
  // Not these: by an administrator, within a provider, and by an unlimited person.
  const free = await add({})
  await (await accountsOf(scoped.id)).create({ id: randomUUID(), roles: ['viewer'] })
  await (await accountsOf(free.id)).create({ id: randomUUID(), serviceId: 'umbra' })
  const moved = await add({ serviceId: 'acme' })
  await (await accountsOf(moved.id)).create({ id: randomUUID(), roles: ['viewer'] })
  await admin.send('PUT', { id: moved.id }, { serviceId: 'umbra' })
  expect(await accountsBeyondScope(db)).toEqual([])

  const wide = await madeUnchecked(scoped.id, null)
  const foreign = await madeUnchecked(scoped.id, 'umbra')
  const next = await (await accountsOf(wide)).create({ id: randomUUID(), serviceId: 'umbra' })
  await admin.send('DELETE', { id: foreign })
  const { rows } = await sql`select id, revision from maple.account order by id`.execute(db)
  const by = { action: 'account.create', actor: scoped.id, actorServiceId: 'acme' }
  expect(await accountsBeyondScope(db)).toEqual([
    { ...by, ...stamp, account: wide, serviceId: null, exists: true },
    { ...by, ...stamp, account: foreign, serviceId: 'umbra', exists: false },
    {
      ...by,
      ...stamp,
      account: next.id,
      serviceId: 'umbra',
      exists: true,
      actor: wide,
      actorServiceId: null,
    },
  ])
  expect((await sql`select id, revision from maple.account order by id`.execute(db)).rows).toEqual(
    rows,
  )
})

const stamp = { id: expect.any(Number), at: expect.any(String) }

test('the owner of an account from before the trail begins is read from its first change', async () => {
  const [actor, later] = [randomUUID(), randomUUID()]
  for (const id of [actor, later])
    await sql`
      insert into maple.account (id, roles, service_id) values (${id}, '{admin}', 'acme')
    `.execute(db)
  const made = [await madeUnchecked(actor, 'umbra'), await madeUnchecked(later, null)]
  await (await accountsOf(undefined)).send('PUT', { id: later }, { serviceId: 'umbra' })
  const found = await accountsBeyondScope(db)
  expect(found.slice(-2)).toMatchObject([
    { account: made[0], actorServiceId: 'acme' },
    { account: made[1], actorServiceId: 'acme' },
  ])
})
