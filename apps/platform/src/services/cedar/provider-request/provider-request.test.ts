import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { maxRequestsPerDay } from '@grove/contract/cedar/provider-request.rules'
import {
  startCatalogue,
  tally,
  tenant,
  type CatalogueServer,
  type Tenant,
} from '../testing/catalogue.ts'
import { requestProvider } from './provider-request.service.ts'

let server: CatalogueServer
let admin: Tenant
beforeAll(async () => {
  // Developers cannot create providers here.
  server = await startCatalogue({ env: { GROVE_SELF_SERVICE_PROVIDERS: '0' } })
  admin = await tenant(server, ['ADMIN'])
})
afterAll(() => server.close())

const url = '/api/provider/request'
const wanted = { name: ' Tides ', purpose: 'Sensors of our harbour' }
const ask = (as: Tenant, body: object = wanted) => as.send('POST', url, body)
const decide = (id: string, body: object, as = admin) => as.send('PUT', `${url}?id=${id}`, body)
const withdraw = (as: Tenant, id: string) => as.send('DELETE', `${url}?id=${id}`)
const organisations = async (of: Tenant) =>
  (await of.send('GET', '/api/provider')).body.filter(
    (each: { isDefault: boolean }) => !each.isDefault,
  )

test('an approval creates the provider, which the developer owns, and is in the audit trail', async () => {
  const anna = await tenant(server)
  const { status, body } = await ask(anna)
  expect([status, body]).toMatchObject([
    201,
    {
      name: 'Tides',
      state: 'open',
      requestedBy: anna.userId,
      rights: { decide: 'forbidden', withdraw: null },
    },
  ])
  const seen = await admin.send('GET', `${url}?state=open`)
  expect(seen.body.items).toMatchObject([
    { id: body.id, rights: { decide: null, withdraw: 'forbidden' } },
  ])
  const { body: approved } = await decide(body.id, { isApproved: true })
  expect(approved).toMatchObject({ state: 'approved', reason: null })
  expect(await organisations(anna)).toMatchObject([
    {
      id: approved.providerId,
      ownerId: anna.userId,
      translations: [{ name: 'Tides' }, { name: 'Tides' }],
    },
  ])
  expect((await decide(body.id, { isApproved: true })).body.code).toBe('approval_decided')
  expect(await organisations(anna)).toHaveLength(1)
  const { rows } = await sql<{ action: string; actor: string }>`
    select action, actor from cedar.event where subject in (${body.id}, ${approved.providerId})
    order by id`.execute(server.context.db)
  expect(rows).toEqual([
    { action: 'provider_request.create', actor: anna.userId },
    { action: 'provider.create', actor: admin.userId },
    { action: 'provider_request.approve', actor: admin.userId },
  ])
})

test('a refusal needs a reason, which the developer sees before asking again', async () => {
  const anna = await tenant(server)
  const { id } = (await ask(anna)).body
  expect((await decide(id, { isApproved: false })).body.errors).toMatchObject([{ path: 'reason' }])
  const reason = 'Use the provider of your department.'
  expect((await decide(id, { isApproved: false, reason })).body).toMatchObject({ state: 'refused' })
  expect((await anna.send('GET', url)).body.items).toMatchObject([{ id, reason, providerId: null }])
  expect(await organisations(anna)).toEqual([])
  expect((await ask(anna)).status).toBe(201)
})

test('a person has one open request and a few a day, even with concurrent calls', async () => {
  const anna = await tenant(server)
  const tries = await Promise.all(Array.from({ length: 6 }, () => ask(anna)))
  expect(tally(tries)).toEqual({ 201: 1, 409: 5 })
  for (let made = 1; made < maxRequestsPerDay; made++) {
    const { items } = (await anna.send('GET', `${url}?state=open`)).body
    expect((await withdraw(anna, items[0].id)).body.state).toBe('withdrawn')
    expect((await ask(anna)).status).toBe(201)
  }
  const { items } = (await anna.send('GET', `${url}?state=open`)).body
  await withdraw(anna, items[0].id)
  expect((await ask(anna)).body.code).toBe('limit_reached')
  expect((await ask(await tenant(server))).status).toBe(201)
})

test('nobody sees, decides or withdraws another person’s request', async () => {
  const [anna, boris] = [await tenant(server), await tenant(server)]
  const { id } = (await ask(anna)).body
  expect((await boris.send('GET', `${url}?id=${id}`)).body.items).toEqual([])
  expect((await withdraw(boris, id)).body.code).toBe('not_found')
  expect((await withdraw(admin, id)).body.code).toBe('forbidden')
  for (const as of [anna, boris])
    expect((await decide(id, { isApproved: true }, as)).status).toBe(403)
  expect((await ask(await tenant(server, ['CUSTOMER']))).status).toBe(403)
  expect((await withdraw(anna, id)).body.state).toBe('withdrawn')
  expect((await withdraw(anna, id)).body.code).toBe('approval_decided')
  expect((await decide(id, { isApproved: true })).body.code).toBe('approval_decided')
})

test('texts have a limit, and people who may create a provider need no request', async () => {
  const anna = await tenant(server)
  for (const body of [
    { ...wanted, purpose: 'x'.repeat(301) },
    { ...wanted, name: ' ' },
    { name: 'A' },
  ])
    expect((await ask(anna, body)).status).toBe(400)
  const { settings } = server.context
  const open = { ...server.context, settings: { ...settings, providersOfDeveloper: 1 } }
  await expect(requestProvider(open, anna.actor, wanted)).rejects.toMatchObject({
    code: 'forbidden',
  })
})
