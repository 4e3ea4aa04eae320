import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Calls } from '@grove/contract/calls'
import type { CardOperation } from '@grove/contract/maple/card/card-operation'
import type { ResponseOf } from '@grove/contract/call'
import type { SecurityDomain } from '@grove/contract/maple/card/domain'
import type { StoredCardReading } from '@grove/contract/maple/card/element-card'
import type { CardState } from '@grove/secure-element/card/card-state'
import { createAppletClient } from '../applet/testing/applet-client.ts'
import { startSessionServer, type SessionServer } from '../session/testing/session-server.ts'
import * as queries from './card-operation.queries.ts'
import { runCardOperation } from './run-card-operation.ts'

let server: SessionServer
beforeAll(async () => {
  server = await startSessionServer()
})
afterAll(() => server.close())

const issuerAid = 'A000000151000000'
const [one, two] = ['A00000000101', 'A00000000102'] as const
const domain = (aid: string, more: Partial<SecurityDomain> = {}): SecurityDomain => ({
  aid,
  parent: issuerAid,
  state: 'selectable',
  privileges: ['securityDomain'],
  ...more,
})

type Answer = ResponseOf<Calls['POST /api/maple/se/card/domains']> & {
  code: string
  detail: string
  errors?: { path: string; code: string; message: string }[]
}

async function post(
  path: string,
  payload: object,
  headers: { authorization: string } = server.admin,
) {
  const url = `/api/maple/se/card/${path}`
  const response = await server.app.inject({ method: 'POST', url, headers, payload })
  return { status: response.statusCode, body: response.json<Answer & CardOperation>() }
}

const plan = (cplc: string, domains: SecurityDomain[], more: object = {}) =>
  post('domains?replace=false&dryRun=true', { cplc, domains, ...more })

/** Shows a plan and starts it. */
async function start(cplc: string, domains: SecurityDomain[], isReplacing = false, more = {}) {
  const query = `domains?replace=${isReplacing}`
  const shown = await post(`${query}&dryRun=true`, { cplc, domains })
  expect([shown.status, shown.body.detail]).toEqual([200, undefined])
  return post(query, { cplc, domains, digest: shown.body.digest, ...more })
}

const operationsOf = async (cplc: string): Promise<CardOperation[]> => {
  const url = `/api/maple/se/card/operation?cplc=${cplc}`
  return (await server.app.inject({ url, headers: server.admin })).json().items
}

async function ended(cplc: string): Promise<CardOperation> {
  await vi.waitFor(
    async () => expect((await operationsOf(cplc))[0]?.finishedAt).toEqual(expect.any(String)),
    { timeout: 20_000, interval: 30 },
  )
  return (await operationsOf(cplc))[0] ?? expect.fail('It is gone.')
}

const apply = async (...given: Parameters<typeof start>) => {
  const { status, body } = await start(...given)
  expect([status, body.detail]).toEqual([200, undefined])
  return ended(given[0])
}

const readingOf = async (cplc: string): Promise<StoredCardReading | null> => {
  const url = `/api/maple/se/card/reading?cplc=${cplc}`
  return (await server.app.inject({ url, headers: server.admin })).json().reading
}

async function cardOf(cplc: string): Promise<CardState> {
  const { rows } = await sql<{ state: CardState }>`
    select state from maple.software_card where cplc = ${cplc}`.execute(server.db)
  return rows[0]?.state ?? expect.fail('no card')
}
const onCard = async (cplc: string) =>
  (await cardOf(cplc)).applications
    .filter((each) => each.domain)
    .map(({ aid, domainAid, lifeCycle }) => [aid, domainAid, lifeCycle])

/** A card that was read once. */
async function readCard(options: Parameters<SessionServer['card']>[0] = {}): Promise<string> {
  const cplc = await server.card(options)
  expect((await post('read', { cplc })).status).toBe(200)
  return cplc
}

test('a plan is shown as commands, applied in a session, and read from the card', async () => {
  const cplc = await readCard()
  const list = [
    domain(two, { parent: one, state: 'personalized' }),
    domain(one, { privileges: ['authorizedManagement', 'securityDomain'] }),
  ]
  const { body: shown } = await plan(cplc, list)
  expect(shown.steps.map(({ kind }) => kind)).toEqual([
    'install',
    'install',
    'extradite',
    'personalize',
  ])
  expect([shown.operation, await onCard(cplc)]).toEqual([null, []])
  const operation = await apply(cplc, list)
  expect(operation).toMatchObject({ state: 'succeeded', problem: null, kind: 'domains' })
  expect(operation.steps.map(({ state }) => state)).toEqual(['done', 'done', 'done', 'done'])
  expect(await onCard(cplc)).toEqual([
    [one, issuerAid, 0x07],
    [two, one, 0x0f],
  ])
  const reading = await readingOf(cplc)
  expect(reading).toMatchObject({ readBy: server.adminId, sinceThen: { state: null } })
  expect(reading?.domains.items.map(({ aid, parent }) => [aid, parent])).toEqual([
    [one, issuerAid],
    [two, one],
    [issuerAid, null],
  ])
  const { items } = await server.exchanges(operation.sessionId ?? '')
  const sent = items.filter(({ command }) => /^8[04](E6|F0)/.test(command ?? ''))
  expect(sent).toHaveLength(4)
})

test('domains missing in a complete list are deleted, leaves first @long', async () => {
  const cplc = await readCard()
  await apply(cplc, [domain(one), domain(two, { parent: one })])
  const issuer = (await readingOf(cplc))?.domains.items.filter(({ parent }) => parent === null)
  const operation = await apply(cplc, issuer ?? [], true)
  expect(operation.steps.map(({ kind, aid, state }) => [kind, aid, state])).toEqual([
    ['delete', two, 'done'],
    ['delete', one, 'done'],
  ])
  expect(await onCard(cplc)).toEqual([])
})

test('a plan that was never shown, or was for another reading, is not started', async () => {
  const cplc = await readCard()
  const list = [domain(one)]
  expect((await post('domains', { cplc, domains: list })).body).toMatchObject({
    code: 'invalid_request',
    errors: [{ path: 'digest', code: 'required' }],
  })
  const { body } = await plan(cplc, [domain(two)])
  expect((await post('domains', { cplc, domains: list, digest: body.digest })).body.code).toBe(
    'edit_conflict',
  )
  expect(await operationsOf(cplc)).toEqual([])
})

test('a card that was never read, and a refused plan, are explained', async () => {
  const unread = await server.card()
  expect((await plan(unread, [domain(one)])).body.code).toBe('card_unread')
  const cplc = await readCard()
  const { body } = await plan(cplc, [domain(one, { parent: 'A0000000FF01' })])
  expect(body.plan.refusals).toMatchObject([{ aid: one, code: 'unknownParent' }])
  expect(body.steps).toEqual([])
})

test('if the card refuses, the operation ends there and the card is read again', async () => {
  const cplc = await readCard()
  // The card grants this to no one.
  const operation = await apply(cplc, [
    domain(one),
    domain(two, { privileges: ['cvmManagement', 'securityDomain'] }),
  ])
  expect(operation).toMatchObject({ state: 'stopped', problem: { code: 'card_refused' } })
  expect(operation.steps.map(({ state, statusWord }) => [state, statusWord])).toEqual([
    ['done', null],
    ['refused', '6A80'],
  ])
  const known = (await readingOf(cplc))?.domains.items.map(({ aid }) => aid)
  expect(known).toEqual([one, issuerAid])
})

test('applets in a deleted domain are named first, and deleted only if requested @long', async () => {
  const cplc = await readCard()
  await apply(cplc, [domain(one)])
  const applets = createAppletClient(server, server.admin)
  const applet = await applets.uploaded()
  await applets.send('POST', `applets/${applet.id}/operation`, {
    kind: 'install',
    elements: [cplc],
  })
  await vi.waitFor(async () => expect((await cardOf(cplc)).applications).toHaveLength(2), {
    timeout: 20_000,
  })
  await sql`
    update maple.software_card set version = version + 1, state = ${JSON.stringify({
      ...(await cardOf(cplc)),
      applications: (await cardOf(cplc)).applications.map((each) =>
        each.aid.startsWith('D276') ? { ...each, domainAid: one } : each,
      ),
    })}::jsonb where cplc = ${cplc}`.execute(server.db)
  await vi.waitFor(async () => expect((await post('read', { cplc })).status).toBe(200), {
    timeout: 20_000,
  })
  const issuer =
    (await readingOf(cplc))?.domains.items.filter(({ parent }) => parent === null) ?? []
  const refused = await start(cplc, issuer, true)
  expect(refused.body).toMatchObject({
    code: 'domains_refused',
    errors: [{ path: 'deletesContents' }],
  })
  expect(refused.body.detail).toContain('D2760000850101')
  const operation = await apply(cplc, issuer, true, { deletesContents: true })
  expect(operation.steps).toMatchObject([{ deletes: ['D2760000850101'], state: 'done' }])
  expect((await cardOf(cplc)).applications).toEqual([])
})

test('a card that changed after the plan gets no command', async () => {
  const cplc = await readCard()
  const { body } = await plan(cplc, [domain(one)])
  const state = await cardOf(cplc)
  await sql`update maple.software_card set version = version + 1,
    state = ${JSON.stringify({ ...state, lifeCycle: 0x07 })}::jsonb where cplc = ${cplc}`.execute(
    server.db,
  )
  const operation = await apply(cplc, [domain(one)])
  // The state of the card is not part of this plan, a domain is.
  expect([body.steps.length, operation.state]).toEqual([1, 'succeeded'])
  const again = await plan(cplc, [domain(two)])
  const now = await cardOf(cplc)
  const made = now.applications.map((each) => ({ ...each, aid: two }))
  await sql`update maple.software_card set version = version + 1,
    state = ${JSON.stringify({ ...now, applications: [...now.applications, ...made] })}::jsonb
    where cplc = ${cplc}`.execute(server.db)
  await post('domains', { cplc, domains: [domain(two)], digest: again.body.digest })
  expect(await ended(cplc)).toMatchObject({
    state: 'stopped',
    problem: { code: 'card_changed' },
    steps: [{ state: 'waiting' }],
  })
})

test('a power cut before any write duplicates nothing, and each step shows the card’s state @long', async () => {
  const list = [domain(one), domain(two, { parent: one, state: 'personalized' })]
  for (const powerCutBeforeWrite of [1, 2, 3, 4, 5, 6, 7]) {
    const cplc = await readCard()
    await server.breakCard(cplc, { powerCutBeforeWrite })
    const operation = await apply(cplc, list)
    const { applications } = await cardOf(cplc)
    expect(new Set(applications.map(({ aid }) => aid)).size).toBe(applications.length)
    const domains = await onCard(cplc)
    const isThere: Record<string, boolean> = {
      [`install ${one}`]: domains.some(([aid]) => aid === one),
      [`install ${two}`]: domains.some(([aid]) => aid === two),
      [`extradite ${two}`]: domains.some(([aid, parent]) => aid === two && parent === one),
      [`personalize ${two}`]: domains.some(([aid, , state]) => aid === two && state === 0x0f),
    }
    for (const { kind, aid, state } of operation.steps)
      expect([powerCutBeforeWrite, kind, aid, state === 'done']).toEqual([
        powerCutBeforeWrite,
        kind,
        aid,
        isThere[`${kind} ${aid}`],
      ])
    const wasUsed = operation.steps.some(({ state }) => state !== 'waiting')
    if (operation.state !== 'succeeded')
      expect(operation).toMatchObject({ state: 'stopped', problem: { code: 'no_answer' } })
    if (wasUsed)
      expect(new Set((await readingOf(cplc))?.domains.items.map(({ aid }) => aid))).toEqual(
        new Set([...domains.map(([aid]) => aid), issuerAid]),
      )
    // The rest is planned from the actual state, and then everything is there.
    if (operation.state !== 'succeeded') {
      await vi.waitFor(async () => expect((await post('read', { cplc })).status).toBe(200))
      expect((await apply(cplc, list)).state).toBe('succeeded')
    }
    expect(await onCard(cplc)).toEqual([
      [one, issuerAid, 0x07],
      [two, one, 0x0f],
    ])
  }
}, 60_000)

test('an operation is cancelled between its steps @long', async () => {
  const cplc = await readCard()
  await server.breakCard(cplc, { delay: 60 })
  const { body } = await start(cplc, [domain(one), domain(two)])
  const id = body.operation?.id ?? ''
  expect((await start(cplc, [domain(one)])).body.code).toBe('card_busy')
  await vi.waitFor(
    async () => expect((await operationsOf(cplc))[0]?.steps[0]?.state).toBe('sent'),
    {
      timeout: 20_000,
      interval: 5,
    },
  )
  const cancelled = await post(`operation/${id}/cancel`, {})
  expect(cancelled.body.isCancelled).toBe(true)
  const operation = await ended(cplc)
  expect(operation.state).toBe('cancelled')
  expect(operation.steps.map(({ state }) => state)).toEqual(['done', 'waiting'])
  expect((await onCard(cplc)).map(([aid]) => aid)).toEqual([one])
  expect((await post(`operation/${id}/cancel`, {})).body.code).toBe('job_finished')
})

test('an interrupted run resends nothing, and reads what the card did', async () => {
  for (const isDone of [true, false]) {
    const cplc = await readCard()
    if (isDone) await apply(cplc, [domain(one)])
    const { body } = await plan(await readCard(), [domain(one)])
    const id = await queries.insertOperation(server.db, {
      cplc,
      kind: 'domains',
      input: { domains: [domain(one)], isReplacing: false },
      steps: body.steps.map((step) => ({ ...step, state: 'sent', statusWord: null })),
      createdBy: server.adminId,
    })
    const job = { signal: new AbortController().signal, progress: () => {} }
    await runCardOperation(server.context, id, job)
    expect((await operationsOf(cplc))[0]).toMatchObject({
      state: isDone ? 'succeeded' : 'stopped',
      problem: { code: 'interrupted' },
      steps: [{ state: isDone ? 'done' : 'lost' }],
    })
    expect(await onCard(cplc)).toHaveLength(isDone ? 1 : 0)
  }
})

test('a reading is shown with the changes that Grove made to its records since', async () => {
  const cplc = await readCard()
  const before = await readingOf(cplc)
  expect(before).toMatchObject({
    cardCplc: cplc,
    keys: [{ version: 0x30 }, { version: 0x30 }, { version: 0x30 }],
    sinceThen: { state: null, domains: { added: [], changed: [], removed: [] } },
  })
  const url = '/api/maple/se/domains'
  const payload = { cplc, domains: [domain(one)] }
  await server.app.inject({ method: 'POST', url, headers: server.admin, payload })
  expect((await readingOf(cplc))?.sinceThen.domains.added).toMatchObject([{ aid: one }])
})

test('another service provider’s readings and operations do not exist', async () => {
  const cplc = await server.card({}, `ours-${randomUUID().slice(0, 8)}`)
  await post('read', { cplc })
  const { body } = await start(cplc, [domain(one)])
  await ended(cplc)
  const headers = await server.member(`theirs-${randomUUID().slice(0, 8)}`)
  for (const path of ['reading', 'operation']) {
    const url = `/api/maple/se/card/${path}?cplc=${cplc}`
    expect((await server.app.inject({ url, headers })).statusCode).toBe(404)
  }
  for (const [path, payload] of [
    ['domains?dryRun=true', { cplc, domains: [] }],
    ['terminate', { cplc, confirm: cplc }],
    [`operation/${body.operation?.id}/cancel`, {}],
  ] as const)
    expect([path, (await post(path, payload, headers)).status]).toEqual([path, 404])
})
