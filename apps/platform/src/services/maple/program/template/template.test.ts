import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { CardFaults } from '@grove/contract/maple/card/software-card'
import type {
  Template,
  TemplateDryRun,
  TemplateRun,
  TemplateTarget,
  TemplateVersion,
} from '@grove/contract/maple/program/template'
import type { CardState } from '@grove/secure-element/card/card-state'
import { seal } from '../../../../core/sealed.ts'
import { createAppletClient } from '../../card/applet/testing/applet-client.ts'
import {
  startSessionServer,
  type SessionServer,
} from '../../card/session/testing/session-server.ts'

let server: SessionServer
beforeAll(async () => {
  server = await startSessionServer()
})
afterAll(() => server.close())

type Headers = Record<string, string>

const send = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  payload?: object,
  headers: Headers = server.admin,
) =>
  server.app.inject({
    method,
    url: `/api/maple/templates${path}`,
    headers,
    ...(payload && { payload }),
  })

async function ok<Body>(...request: Parameters<typeof send>): Promise<Body> {
  const response = await send(...request)
  expect([Math.floor(response.statusCode / 100), response.body]).toEqual([2, response.body])
  return response.json()
}

async function refusal(...request: Parameters<typeof send>) {
  const response = await send(...request)
  const problem = response.json<{ code: string; errors?: { path: string; code: string }[] }>()
  return [
    response.statusCode,
    problem.code,
    ...(problem.errors ?? []).map(({ path, code }) => `${path} ${code}`),
  ]
}

const channel = { kind: 'openChannel', values: { level: '33' } }
const select = (aid = '') => ({ kind: 'MplSelect', values: aid === '' ? {} : { aid } })
const ndef = 'D2760000850101'
const store = (data: string, more: object = {}) => [
  {
    kind: 'MplInstall',
    values: { purpose: 'personalization', instanceAid: ndef },
  },
  { kind: 'MplStoreData', values: { data, ...more } },
]
const lock = {
  kind: 'MplSetStatus',
  values: { target: 'lock', aid: ndef },
  rollback: { kind: 'MplSetStatus', values: { target: 'unlock', aid: ndef } },
}

interface Content {
  parameters?: object[]
  steps: object[]
}

async function published(content: Content, headers = server.admin): Promise<Template> {
  const template = await ok<Template>('POST', '', { name: 'A template', ...content }, headers)
  await ok('POST', `/${template.id}/version`, {}, headers)
  return ok('GET', `/${template.id}`, undefined, headers)
}

const pairs = (input: object = {}) =>
  Object.entries(input).map(([name, value]) => ({ name, value: String(value) }))

const dryRun = (
  { input, ...content }: Content & { input?: object; card?: object },
  headers = server.admin,
) =>
  ok<TemplateDryRun>(
    'POST',
    '/dry_run',
    { parameters: [], ...content, input: pairs(input) },
    headers,
  )

async function finished(id: string, headers = server.admin): Promise<TemplateTarget[]> {
  const read = () => ok<{ items: TemplateRun[] }>('GET', `/run?id=${id}`, undefined, headers)
  await vi.waitFor(
    async () => expect((await read()).items[0]?.state).toMatch(/completed|cancelled|failed/),
    { timeout: 30_000, interval: 50 },
  )
  return (await ok<{ items: TemplateTarget[] }>('GET', `/run/${id}/target`, undefined, headers))
    .items
}

async function ran(content: Content, elements: string[], input: object = {}) {
  const { id } = await published(content)
  const run = await ok<TemplateRun>('POST', `/${id}/run`, { elements, input: pairs(input) })
  return finished(run.id)
}

async function stateOf(cplc: string): Promise<CardState> {
  const { rows } = await sql<{ state: CardState }>`
    select state from maple.software_card where cplc = ${cplc}`.execute(server.db)
  return rows[0]?.state ?? expect.fail('no card')
}
const instancesOn = async (cplc: string) =>
  (await stateOf(cplc)).applications.map(({ aid, lifeCycle }) => [aid, lifeCycle & 0x80])

const sampleApplet = () => createAppletClient(server, server.admin).uploaded({ minor: minor++ })
let minor = 10

const install = (applet: string) => ({
  kind: 'installApplet',
  values: { applet },
  rollback: { kind: 'deleteApplet', values: { applet } },
})

test('a draft can be edited freely, and a version never changes', async () => {
  const first = await ok<Template>('POST', '', {
    name: ' Lock  it ',
    steps: [{ kind: 'MplDelete', values: {} }],
  })
  expect(first).toMatchObject({
    name: 'Lock it',
    state: 'draft',
    version: null,
    isChanged: true,
    stepCount: 1,
    rights: { run: 'transition_refused', deprecate: 'transition_refused' },
  })
  const { id } = first
  expect(await refusal('POST', `/${id}/version`, {})).toEqual([
    400,
    'invalid_request',
    expect.stringMatching(/^steps\.0/),
  ])
  const steps = [select(), channel, lock]
  const changed = await ok<Template>('PUT', `?id=${id}`, { steps })
  expect(changed).toMatchObject({ revision: 2, stepCount: 3 })
  const one = await ok<TemplateVersion>('POST', `/${id}/version`, { note: 'First' })
  expect(one).toMatchObject({ number: 1, note: 'First', steps, publishedBy: server.adminId })
  expect(await ok<Template>('GET', `/${id}`)).toMatchObject({
    state: 'published',
    version: 1,
    isChanged: false,
    rights: { run: null, deprecate: null },
  })
  expect(await refusal('POST', `/${id}/version`, {})).toEqual([409, 'transition_refused'])
  await ok('PUT', `?id=${id}`, { steps: [select()] })
  expect(await ok<Template>('GET', `/${id}`)).toMatchObject({ version: 1, isChanged: true })
  await ok('POST', `/${id}/version`, {})
  const back = await ok<TemplateVersion>('POST', `/${id}/version`, { from: 1 })
  expect(back).toMatchObject({ number: 3, sha256: one.sha256, steps })
  expect(await ok<Template>('GET', `/${id}`)).toMatchObject({ version: 3, isChanged: false, steps })
  const { items } = await ok<{ items: TemplateVersion[] }>('GET', `/${id}/version`)
  expect(items.map(({ number }) => number)).toEqual([3, 2, 1])
  const { rows } = await sql<{ action: string }>`
    select action from maple.event where subject = ${id} order by id`.execute(server.db)
  expect(rows.map(({ action }) => action)).toEqual([
    'template.create',
    'template.update',
    'template.publish',
    'template.update',
    'template.publish',
    'template.publish',
  ])
})

test('an edit at an old revision is refused, and a deleted template is gone', async () => {
  const { id } = await ok<Template>('POST', '', { name: 'Mine' })
  await ok('PUT', `?id=${id}`, { about: 'new' })
  expect(
    await refusal('PUT', `?id=${id}`, { about: 'old' }, { ...server.admin, 'if-match': '"1"' }),
  ).toEqual([409, 'edit_conflict'])
  expect((await send('DELETE', `?id=${id}`)).statusCode).toBe(204)
  expect(await refusal('GET', `/${id}`)).toEqual([404, 'not_found'])
})

test('lists are searched by name, and paged in both orders', async () => {
  const mark = randomUUID().slice(0, 8)
  for (const name of ['c', 'a', 'b']) await ok('POST', '', { name: `${mark} ${name}` })
  const read = async (query: string) =>
    (await ok<{ items: Template[]; next: string | null }>('GET', `?q=${mark}${query}`)).items.map(
      ({ name }) => name.at(-1),
    )
  expect(await read('&sort=name&order=asc')).toEqual(['a', 'b', 'c'])
  expect(await read('')).toEqual(['b', 'a', 'c'])
  const page = await ok<{ next: string }>('GET', `?q=${mark}&sort=name&order=asc&limit=1`)
  expect(await read(`&sort=name&order=asc&limit=1&cursor=${page.next}`)).toEqual(['b'])
})

test('a dry run shows the exchanges of each step and leaves nothing behind', async () => {
  const { rows: before } = await sql`select count(*) from maple.session`.execute(server.db)
  const { id } = await sampleApplet()
  const steps = [select(), channel, install(id), ...store('D101{{url.length+1}}5504{{url}}')]
  const run = await dryRun({
    parameters: [{ name: 'url', type: 'text', isRequired: true }],
    steps,
    input: { url: 'grove.example' },
  })
  expect(run).toMatchObject({ state: 'succeeded', step: null, cause: null, rollback: null })
  expect(
    run.steps.map(({ index, state, exchanges }) => [index, state, exchanges.length > 0]),
  ).toEqual(steps.map((_, index) => [index, 'succeeded', true]))
  const last = run.steps.at(-1)?.exchanges.at(-1)
  expect(last?.command).toBe(
    `80E2800012D1010E5504${Buffer.from('grove.example').toString('hex').toUpperCase()}`,
  )
  expect(last?.wrapped).not.toBeNull()
  const { rows: after } = await sql`select count(*) from maple.session`.execute(server.db)
  expect(after).toEqual(before)
})

test('a failing step says why, and the steps before it are undone in reverse order', async () => {
  const { id } = await sampleApplet()
  const run = await dryRun({
    steps: [
      select(),
      channel,
      install(id),
      lock,
      { kind: 'MplDelete', values: { aid: 'A000000999' } },
    ],
  })
  expect(run).toMatchObject({
    state: 'failed',
    step: 4,
    cause: { code: 'status_word', params: { status: '6A88', expected: '9000' } },
    rollback: { done: 2, total: 2, cause: null },
  })
  expect(run.steps.map(({ index, isRollback, state }) => [index, isRollback, state])).toEqual([
    [0, false, 'succeeded'],
    [1, false, 'succeeded'],
    [2, false, 'succeeded'],
    [3, false, 'succeeded'],
    [4, false, 'failed'],
    [3, true, 'succeeded'],
    [2, true, 'succeeded'],
  ])
  expect(await dryRun({ steps: [{ ...select('A000000999'), expect: ['6A82'] }] })).toMatchObject({
    state: 'succeeded',
  })
  expect(await dryRun({ steps: [{ ...select(), contains: 'C0FFEE' }] })).toMatchObject({
    state: 'failed',
    cause: { code: 'reply_differs', params: { expected: 'C0FFEE' } },
  })
})

test('a card is broken on purpose for a dry run', async () => {
  const { id } = await sampleApplet()
  const steps = [select(), channel, install(id)]
  const broken = (faults: CardFaults) => dryRun({ steps, card: { faults } })
  expect(
    await broken({ wrongStatusWord: { instruction: 'E6', statusWord: '6A84' } }),
  ).toMatchObject({ state: 'failed', step: 2, cause: { code: 'status_word' } })
  expect(await broken({ powerCutBeforeWrite: 1 })).toMatchObject({
    state: 'unknown',
    cause: { code: 'no_answer' },
  })
  expect(await broken({ hasOtherKeys: true })).toMatchObject({ step: 1, state: 'failed' })
  // A slow card shows nothing, and would delay the answer.
  expect(
    await refusal('POST', '/dry_run', { parameters: [], steps, card: { faults: { delay: 5000 } } }),
  ).toContain('invalid_request')
})

test('a dry run works on a copy of a software card, which stays unchanged', async () => {
  const { id } = await sampleApplet()
  const cplc = await server.card()
  const before = await stateOf(cplc)
  expect(
    await dryRun({ steps: [select(), channel, install(id)], card: { id: cplc } }),
  ).toMatchObject({ state: 'succeeded' })
  expect(await stateOf(cplc)).toEqual(before)
  expect(
    await refusal('POST', '/dry_run', {
      parameters: [],
      steps: [select()],
      card: { snapshotId: randomUUID() },
    }),
  ).toEqual([404, 'not_found'])
})

test('values are checked before anything is sent', async () => {
  const content = {
    parameters: [{ name: 'aid', type: 'aid', isRequired: true }],
    steps: [{ kind: 'MplSelect', values: { aid: '{{aid}}' } }],
  }
  const { id } = await published(content)
  const cplc = await server.card()
  for (const [input, error] of [
    [{}, 'input.aid required'],
    [{ aid: 'zz' }, 'input.aid notAid'],
    [{ aid: ndef, other: '1' }, 'input.other unknownParameter'],
  ] as const) {
    expect(await refusal('POST', `/${id}/run`, { elements: [cplc], input: pairs(input) })).toEqual([
      400,
      'invalid_request',
      error,
    ])
    expect(await refusal('POST', '/dry_run', { ...content, input: pairs(input) })).toEqual([
      400,
      'invalid_request',
      error,
    ])
  }
})

test('a run on a set has one session and one result per element', async () => {
  const { id } = await sampleApplet()
  const cards = [await server.card(), await server.card(), await server.card()]
  const [busy = ''] = cards
  const held = await server.open(busy)
  const targets = await ran(
    {
      parameters: [{ name: 'text', type: 'text', default: 'hi' }],
      steps: [select(), channel, install(id), ...store('{{text}}')],
    },
    cards,
  )
  expect(targets.map(({ cplc }) => cplc)).toEqual(cards.toSorted())
  for (const { cplc, state, cause, sessionId } of targets)
    if (cplc === busy) expect([state, cause?.code]).toEqual(['refused', 'session_busy'])
    else {
      expect([state, cause]).toEqual(['succeeded', null])
      expect(await server.read(sessionId ?? '')).toMatchObject({ purpose: 'program', cplc })
      expect(await instancesOn(cplc)).toEqual([[ndef, 0]])
    }
  expect(await instancesOn(busy)).toEqual([])
  await server.ask('POST', `/${held.id}/end`)
})

test('after a failure the steps done on a card are undone', async () => {
  const { id } = await sampleApplet()
  const cplc = await server.card()
  const [target] = await ran(
    { steps: [select(), channel, install(id), lock, select('A000000999')] },
    [cplc],
  )
  expect(target).toMatchObject({
    state: 'failed',
    step: 4,
    cause: { code: 'status_word', params: { status: '6A82' } },
    rollback: { done: 2, total: 2, cause: null },
  })
  expect(await instancesOn(cplc)).toEqual([])
})

test('a power cut in a step ends the element: nothing is repeated or undone', async () => {
  const { id } = await sampleApplet()
  const cards = [await server.card(), await server.card(), await server.card()]
  await ran({ steps: [select(), channel, install(id)] }, cards)
  const unlock = { kind: 'MplSetStatus', values: { target: 'unlock', aid: ndef } }
  for (const [index, cplc] of cards.entries())
    await server.breakCard(cplc, { powerCutBeforeWrite: index + 1 })
  const targets = await ran({ steps: [select(), channel, lock, unlock, lock] }, cards)
  for (const target of targets) {
    expect(target).toMatchObject({
      state: 'unknown',
      cause: { code: 'no_answer' },
      rollback: null,
    })
    const { items } = await server.exchanges(target.sessionId ?? '')
    expect(items.at(-1)?.outcome).toBe('unknown')
  }
  // One of them had a step to undo.
  expect(Math.max(...targets.map(({ step }) => step ?? 0))).toBeGreaterThan(2)
})

test('a secret value is in no log and no answer', async () => {
  const { id } = await sampleApplet()
  const cplc = await server.card()
  const template = await published({
    parameters: [{ name: 'pin', type: 'hex', isSecret: true, isRequired: true }],
    steps: [select(), channel, install(id), ...store('{{pin}}')],
  })
  const run = await ok<TemplateRun>('POST', `/${template.id}/run`, {
    elements: [cplc],
    input: pairs({ pin: 'C0FFEE5EC2E7' }),
  })
  expect(run.input).toEqual({ pin: '' })
  const [target] = await finished(run.id)
  expect(target?.state).toBe('succeeded')
  const { items } = await server.exchanges(target?.sessionId ?? '')
  expect(JSON.stringify(items)).not.toContain('C0FFEE5EC2E7')
  const { rows } = await sql<{ row: string }>`
    select row_to_json(run)::text as row from maple.template_run as run
    where id = ${run.id}
    union all select row_to_json(event)::text from maple.event as event
    where subject = ${template.id}`.execute(server.db)
  expect(rows.map(({ row }) => row).join()).not.toMatch(/C0FFEE5EC2E7/i)
  await vi.waitFor(async () => {
    const { rows: left } = await sql<{ sealed: string | null }>`
      select sealed_input as sealed from maple.template_run where id = ${run.id}`.execute(server.db)
    expect(left).toEqual([{ sealed: null }])
  })
})

test('an element in use by a killed process stays unchanged, and those after it are run', async () => {
  const cards = [await server.card(), await server.card()].toSorted()
  const { id } = await published({ steps: [select()] })
  const run = await sql<{ id: string }>`
    insert into maple.template_run (template_id, version, input, sealed_input, total, rights)
    values (${id}, 1, '{}', '', 2, '{}') returning id`.execute(server.db)
  const runId = run.rows[0]?.id ?? ''
  await sql`
    insert into maple.template_target (run_id, cplc, state, step)
    values (${runId}, ${cards[0]}, 'running', 0), (${runId}, ${cards[1]}, 'waiting', null)`.execute(
    server.db,
  )
  await sql`
    update maple.template_run
    set sealed_input = ${seal('{}', server.context.sessionSecret, 'maple template run')}
    where id = ${runId}`.execute(server.db)
  const { db, jobs } = server.context
  const jobId = await jobs.enqueue(db, 'template.run', { id: runId }, { owner: '' })
  await sql`update maple.template_run set job_id = ${jobId} where id = ${runId}`.execute(server.db)
  const [first, second] = await finished(runId)
  expect(first).toMatchObject({ state: 'unknown', step: 0, cause: { code: 'no_answer' } })
  expect(second).toMatchObject({ state: 'succeeded' })
})

test('a deprecated template cannot run until it is restored', async () => {
  const { id } = await published({ steps: [select()] })
  const elements = [await server.card()]
  expect(await ok<Template>('POST', `/${id}/state`, { state: 'deprecated' })).toMatchObject({
    state: 'deprecated',
    rights: { restore: null, run: 'transition_refused' },
  })
  expect(await refusal('POST', `/${id}/run`, { elements })).toEqual([409, 'transition_refused'])
  await ok('POST', `/${id}/state`, { state: 'published' })
  await finished((await ok<TemplateRun>('POST', `/${id}/run`, { elements })).id)
})

test('a template, even an older version, changes neither keys nor the card’s state', async () => {
  const reserved = [
    [{ kind: 'MplSetStatus', values: { target: 'card', cardState: 'cardLocked' } }, 'cardState'],
    [{ kind: 'MplSetStatus', values: { target: 'card', cardState: 'terminated' } }, 'cardState'],
    [{ kind: 'MplDelete', values: { target: 'key', keyVersion: 1 } }, 'target'],
    [{ kind: 'MplStoreData', values: { data: '8F010101', format: 'dgi' } }, 'data'],
  ] as const
  for (const [step, field] of reserved) {
    const { id } = await ok<Template>('POST', '', { name: 'Reserved', steps: [select(), step] })
    const [status, code, error] = await refusal('POST', `/${id}/version`, {})
    expect([status, code, error]).toEqual([
      400,
      'invalid_request',
      expect.stringMatching(`^steps.1.values.${field} (reserved|finalState)$`),
    ])
  }
  const [locks] = reserved
  const { id } = await published({ steps: [select(), channel] })
  await sql`update maple.template_version set content = jsonb_set(content, '{steps}', ${JSON.stringify([select(), channel, locks[0]])}::jsonb)
    where template_id = ${id}`.execute(server.db)
  const cplc = await server.card()
  expect(await refusal('POST', `/${id}/run`, { elements: [cplc] })).toEqual([
    400,
    'invalid_request',
    'steps.2.values.cardState reserved',
  ])
  expect((await stateOf(cplc)).lifeCycle).toBe(0x01)
})

test('provider A cannot find anything of provider B by any call', async () => {
  const [a, b] = ['a', 'b'].map((letter) => `${letter}${randomUUID().slice(0, 8)}`)
  const alice = await server.member(a ?? '', ['developer'])
  const bob = await server.member(b ?? '', ['developer'])
  const theirs = await published({ steps: [select()] }, bob)
  const card = await server.card({}, b)
  const own = await server.card({}, a)
  const run = await ok<TemplateRun>('POST', `/${theirs.id}/run`, { elements: [card] }, bob)
  await finished(run.id, bob)
  const missing = [404, 'not_found']
  const { id } = theirs
  expect((await ok<{ items: [] }>('GET', '', undefined, alice)).items).toEqual([])
  expect((await ok<{ items: [] }>('GET', `?id=${id}`, undefined, alice)).items).toEqual([])
  expect((await ok<{ items: [] }>('GET', `/run?template=${id}`, undefined, alice)).items).toEqual(
    [],
  )
  expect(await refusal('GET', `/${id}`, undefined, alice)).toEqual(missing)
  expect(await refusal('PUT', `?id=${id}`, { name: 'Mine' }, alice)).toEqual(missing)
  expect(await refusal('DELETE', `?id=${id}`, undefined, alice)).toEqual(missing)
  expect(await refusal('GET', `/${id}/version`, undefined, alice)).toEqual(missing)
  expect(await refusal('POST', `/${id}/version`, {}, alice)).toEqual(missing)
  expect(await refusal('POST', `/${id}/state`, { state: 'deprecated' }, alice)).toEqual(missing)
  expect(await refusal('POST', `/${id}/run`, { elements: [own] }, alice)).toEqual(missing)
  expect(await refusal('GET', `/run/${run.id}/target`, undefined, alice)).toEqual(missing)
  expect(await refusal('POST', `/run/${run.id}/cancel`, undefined, alice)).toEqual(missing)
  const mine = await published({ steps: [select()] }, alice)
  expect(await refusal('POST', `/${mine.id}/run`, { elements: [card] }, alice)).toEqual(missing)
  expect(
    await refusal(
      'POST',
      '/dry_run',
      { parameters: [], steps: [select()], card: { id: card } },
      alice,
    ),
  ).toEqual(missing)
  const { id: applet } = await createAppletClient(server, bob).uploaded({ minor: 99 })
  expect(await dryRun({ steps: [select(), channel, install(applet)] }, alice)).toMatchObject({
    state: 'refused',
    cause: { code: 'applet_gone' },
  })
})

test('raw bytes go through the channel or bypass it, and run only for people who may send them', async () => {
  const raw = (command: string, more: object = {}) => ({
    kind: 'raw',
    values: { command, ...more },
  })
  // The card requires the protection that the last command lacks.
  const past = { ...raw('80 CA 9F 7F 00', { isPlain: true }), expect: ['6982'] }
  const steps = [select(), channel, raw('80CA006600'), past]
  const run = await dryRun({ steps })
  expect(run).toMatchObject({ state: 'succeeded' })
  const sent = run.steps.map(({ exchanges }) => exchanges.at(-1))
  expect([sent[2]?.command, sent[2]?.wrapped !== null]).toEqual(['80CA006600', true])
  expect([sent[3]?.command, sent[3]?.wrapped]).toEqual(['80CA9F7F00', null])
  const cplc = await server.card({}, 'acme')
  const developer = await server.member('acme', ['developer'])
  const { id } = await published({ steps }, developer)
  const elements = { elements: [cplc], input: [] }
  expect(await refusal('POST', `/${id}/run`, elements, developer)).toEqual([403, 'forbidden'])
  const started = await ok<TemplateRun>('POST', `/${id}/run`, elements)
  expect(await finished(started.id)).toMatchObject([{ state: 'succeeded' }])
})
