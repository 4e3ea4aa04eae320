import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Approval } from '@grove/contract/maple/access/approval'
import type { CardOperation } from '@grove/contract/maple/card/card-operation'
import type { Problem } from '@grove/contract/shapes'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { createAppletClient } from '../applet/testing/applet-client.ts'
import { startSessionServer, type SessionServer } from '../session/testing/session-server.ts'

let server: SessionServer
let second: { authorization: string }
beforeAll(async () => {
  server = await startSessionServer()
  second = await server.bearer(['ADMIN'])
})
afterAll(() => server.close())

/** The response of one of the calls. */
type Item = Pick<Approval, 'id'> &
  Pick<CardOperation, 'finishedAt' | 'steps' | 'problem' | 'kind'> &
  Pick<SecureElement, 'approvals' | 'rights'> & { state: string }
type Answer = Item & Problem & { items: Item[] }

async function request(
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  payload?: object,
  headers = server.admin,
) {
  const url = `/api/maple/${path}`
  const response = await server.app.inject({ method, url, headers, ...(payload && { payload }) })
  return { status: response.statusCode, body: response.json<Answer>() }
}

const ask = (cplc: string, confirm = cplc) =>
  request('POST', 'se/card/terminate', { cplc, confirm })

const approve = async (cplc: string, headers = second) => {
  const { body } = await request('GET', `approvals?cplc=${cplc}`)
  const [approval] = body.items
  return request('PUT', `approvals?id=${approval?.id}`, { isApproved: true }, headers)
}

const operationOf = async (cplc: string) =>
  (await request('GET', `se/card/operation?cplc=${cplc}`)).body.items[0]

async function ended(cplc: string): Promise<Item> {
  await vi.waitFor(
    async () => expect((await operationOf(cplc))?.finishedAt).toEqual(expect.any(String)),
    { timeout: 20_000, interval: 30 },
  )
  // Its job ends a moment later.
  await vi.waitFor(async () => expect((await elementOf(cplc))?.approvals).toEqual([]))
  return (await operationOf(cplc)) ?? expect.fail('It is gone.')
}

const lifeCycleOf = async (cplc: string) => {
  const { rows } = await sql<{ lifeCycle: number }>`
    select (state ->> 'lifeCycle')::int as "lifeCycle" from maple.software_card
    where cplc = ${cplc}`.execute(server.db)
  return rows[0]?.lifeCycle
}
const elementOf = async (cplc: string) =>
  (await request('GET', `se/element?cplc=${cplc}`)).body.items[0]

test('terminating a card needs its CPLC typed and a second person, and is final', async () => {
  const cplc = await server.card()
  const other = await server.card()
  expect((await ask(cplc, other)).body).toMatchObject({
    code: 'invalid_request',
    errors: [{ path: 'confirm' }],
  })
  expect((await ask(cplc)).body).toMatchObject({
    state: 'unknown',
    approvals: [{ action: 'element.terminate' }],
  })
  expect((await approve(cplc, server.admin)).body.code).toBe('own_request')
  expect([await lifeCycleOf(cplc), await operationOf(cplc)]).toEqual([0x01, undefined])
  expect((await approve(cplc)).body).toMatchObject({ state: 'approved', needed: 1 })
  const operation = await ended(cplc)
  expect(operation).toMatchObject({
    kind: 'terminate',
    state: 'succeeded',
    problem: null,
    steps: [{ command: '80F080FF', state: 'done' }],
  })
  expect(await lifeCycleOf(cplc)).toBe(0xff)
  expect(await elementOf(cplc)).toMatchObject({
    state: 'terminated',
    approvals: [],
    rights: { terminate: 'element_terminated' },
  })
  const { rows } = await sql<{ actor: string }>`
    select actor from maple.event where subject = ${cplc} and action = 'element.terminate'
  `.execute(server.db)
  expect(rows).toEqual([{ actor: server.adminId }])
})

test('an approval stays on the element until its job has ended', async () => {
  const cplc = await server.card()
  await ask(cplc)
  expect((await elementOf(cplc))?.approvals).toMatchObject([{ state: 'pending' }])
  await server.breakCard(cplc, { delay: 200 })
  await approve(cplc)
  expect((await elementOf(cplc))?.approvals).toMatchObject([
    { action: 'element.terminate', state: 'approved' },
  ])
  await ended(cplc)
})

test('a terminated element refuses everything else with an explanation', async () => {
  const cplc = await server.card()
  await request('POST', 'se/card/read', { cplc })
  await ask(cplc)
  await approve(cplc)
  await ended(cplc)
  for (const [path, payload] of [
    ['se/card/read', { cplc }],
    ['se/card/lock', { cplc, locked: true }],
    ['se/card/domains?dryRun=true', { cplc, domains: [] }],
    ['se/card/terminate', { cplc, confirm: cplc }],
  ] as const) {
    const { status, body } = await request('POST', path, payload)
    expect([path, status, body.code]).toEqual([path, 409, 'element_terminated'])
    expect(body.detail).toContain('can no longer be used')
  }
  const applets = createAppletClient(server, server.admin)
  const { id } = await applets.uploaded()
  const response = await applets.send('POST', `applets/${id}/preflight`, {
    kind: 'install',
    elements: [cplc],
  })
  expect(response.json().items[0].findings).toMatchObject([{ code: 'element_terminated' }])
})

test('a power cut during the write leaves the card unchanged, and says so', async () => {
  const cplc = await server.card()
  await ask(cplc)
  // Opening the channel writes once; the next write ends the card.
  await server.breakCard(cplc, { powerCutBeforeWrite: 2 })
  await approve(cplc)
  expect(await ended(cplc)).toMatchObject({
    state: 'stopped',
    problem: { code: 'no_answer' },
    steps: [{ state: 'lost' }],
  })
  expect([await lifeCycleOf(cplc), (await elementOf(cplc))?.state]).toEqual([0x01, 'opReady'])
  expect((await ask(cplc)).body.approvals).toHaveLength(1)
})

test('a card that refuses is unchanged, and says so', async () => {
  const cplc = await server.card()
  await ask(cplc)
  await server.breakCard(cplc, { wrongStatusWord: { ins: 0xf0, statusWord: 0x6985 } })
  await approve(cplc)
  expect(await ended(cplc)).toMatchObject({
    state: 'stopped',
    problem: { code: 'card_refused' },
    steps: [{ state: 'refused', statusWord: '6985' }],
  })
  expect(await lifeCycleOf(cplc)).toBe(0x01)
})

test('requesting needs the right to secure elements, approving another one', async () => {
  const service = 'terminating'
  const cplc = await server.card({}, service)
  const viewer = await server.member(service, ['viewer'])
  const refused = await request('POST', 'se/card/terminate', { cplc, confirm: cplc }, viewer)
  expect(refused.status).toBe(403)
  await request('POST', 'se/card/terminate', { cplc, confirm: cplc }, await server.member(service))
  expect((await approve(cplc, viewer)).status).toBe(403)
  expect((await approve(cplc, await server.member(service))).body.state).toBe('approved')
  expect((await ended(cplc)).state).toBe('succeeded')
})
