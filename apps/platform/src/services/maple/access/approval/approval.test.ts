import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval } from '@grove/contract/maple/access/approval'
import type { Problem } from '@grove/contract/shapes'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'
import { expireAll } from './approval.service.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer([maple])
})
afterAll(() => server.close())

type Person = { authorization: string }
const admin = () => server.bearer(['ADMIN'])

/** A person with a Maple account. */
async function member(roles: string[], serviceId: string | null = null): Promise<Person> {
  const id = randomUUID()
  await sql`insert into maple.account (id, roles, service_id) values (${id}, ${roles}, ${serviceId})`.execute(
    server.platform.db,
  )
  return server.bearer(['DEVELOPER'], id)
}

async function newElement(): Promise<string> {
  const cplc = randomBytes(42).toString('hex').toUpperCase()
  await sql`insert into maple.element (cplc) values (${cplc})`.execute(server.platform.db)
  return cplc
}

const request = (
  headers: Person,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  query: Record<string, string> = {},
  payload?: object,
) => server.app.inject({ method, url, query, headers, ...(payload && { payload }) })

async function asked(by: Person, cplc: string): Promise<string> {
  const answer = await request(by, 'POST', '/api/maple/se/hsm', {}, { cplc, enable: true })
  return answer.json<SecureElement>().approvals[0]?.id ?? answer.body
}

const decide = async (by: Person, id: string, isApproved: boolean, comment?: string) => {
  const body = { isApproved, ...(comment !== undefined && { comment }) }
  const answer = await request(by, 'PUT', '/api/maple/approvals', { id }, body)
  return answer.json<Approval & Problem>()
}

const elementOf = async (by: Person, cplc: string) =>
  (await request(by, 'GET', '/api/maple/se/element', { cplc })).json<{ items: SecureElement[] }>()
    .items[0]

test('two other people approve, and then the job makes the change', async () => {
  const [asker, second, third] = await Promise.all([admin(), admin(), member(['security_officer'])])
  const cplc = await newElement()
  const id = await asked(asker, cplc)
  expect(await decide(asker, id, true)).toMatchObject({ code: 'own_request' })
  const first = await decide(second, id, true, ' Agreed with the bank. ')
  expect(first).toMatchObject({
    state: 'pending',
    needed: 2,
    votes: [{ isApproved: true, comment: 'Agreed with the bank.' }],
    rights: { decide: 'own_request' },
  })
  expect(await decide(second, id, true)).toMatchObject({ code: 'own_request' })
  expect(await elementOf(asker, cplc)).toMatchObject({ hsm: false })
  expect(await decide(third, id, true)).toMatchObject({
    state: 'approved',
    jobId: expect.any(String),
  })
  await expect.poll(async () => (await elementOf(asker, cplc))?.hsm).toBe(true)
  expect(await elementOf(asker, cplc)).toMatchObject({ approvals: [], revision: 2 })
  expect(await decide(third, id, true)).toMatchObject({ code: 'approval_decided' })
})

test('one refusal ends the request', async () => {
  const [asker, second] = await Promise.all([admin(), admin()])
  const cplc = await newElement()
  const id = await asked(asker, cplc)
  expect(await decide(second, id, false)).toMatchObject({ state: 'refused', jobId: null })
  expect(await decide(await admin(), id, true)).toMatchObject({ code: 'approval_decided' })
  expect(await asked(asker, cplc)).not.toBe(id)
})

test('only the person who asked can withdraw it', async () => {
  const [asker, other] = await Promise.all([
    member(['security_officer']),
    member(['security_officer']),
  ])
  const id = await asked(asker, await newElement())
  const withdrawal = (by: Person) => request(by, 'DELETE', '/api/maple/approvals', { id })
  expect((await withdrawal(other)).json()).toMatchObject({ code: 'forbidden' })
  expect((await withdrawal(asker)).json()).toMatchObject({ state: 'withdrawn' })
  expect(await decide(other, id, true)).toMatchObject({ code: 'approval_decided' })
})

test('a request expires after a week, and can be made again', async () => {
  const [asker, second] = await Promise.all([admin(), admin()])
  const cplc = await newElement()
  const id = await asked(asker, cplc)
  await sql`update maple.approval set expires_at = expires_at - interval '7 days' where id = ${id}`.execute(
    server.platform.db,
  )
  expect(await decide(second, id, true)).toMatchObject({ code: 'approval_decided' })
  await expireAll(await maple.open(server.platform))
  const listed = await request(second, 'GET', '/api/maple/approvals', { id })
  expect(listed.json()).toMatchObject({ items: [{ state: 'expired', votes: [] }] })
  expect(await asked(asker, cplc)).not.toBe(id)
})

test('the list tells each reader what they may do, by state', async () => {
  const [asker, second] = await Promise.all([admin(), admin()])
  const cplc = await newElement()
  const id = await asked(asker, cplc)
  const read = async (by: Person) =>
    (await request(by, 'GET', '/api/maple/approvals', { cplc, state: 'pending' })).json<{
      items: Approval[]
    }>().items
  expect(await read(asker)).toMatchObject([
    { id, rights: { decide: 'own_request', withdraw: null } },
  ])
  expect(await read(second)).toMatchObject([{ id, rights: { decide: null } }])
})

test('an account of one service provider neither sees nor decides requests of another', async () => {
  await sql`insert into maple.service (id, name, name_key) values ('bank-a', 'A', 'a'), ('bank-b', 'B', 'b')`.execute(
    server.platform.db,
  )
  const id = await asked(await admin(), await newElement())
  await sql`update maple.approval set service_id = 'bank-a' where id = ${id}`.execute(
    server.platform.db,
  )
  const [own, other] = await Promise.all([
    member(['security_officer'], 'bank-a'),
    member(['security_officer'], 'bank-b'),
  ])
  const seen = async (by: Person) =>
    (await request(by, 'GET', '/api/maple/approvals', { id })).json<{ items: Approval[] }>().items
      .length
  expect([await seen(own), await seen(other)]).toEqual([1, 0])
  expect(await decide(other, id, true)).toMatchObject({ code: 'not_found' })
  expect(await decide(own, id, true)).toMatchObject({ votes: [{ isApproved: true }] })
})

test('nobody without the right can approve', async () => {
  const id = await asked(await admin(), await newElement())
  expect(await decide(await member(['provider_admin']), id, true)).toMatchObject({
    code: 'forbidden',
  })
})
