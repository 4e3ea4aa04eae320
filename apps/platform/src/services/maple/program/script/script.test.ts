import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type {
  Script,
  ScriptRun,
  ScriptRunItem,
  ScriptVersion,
} from '@grove/contract/maple/program/script'
import { scriptExamples } from '@grove/contract/maple/program/script-examples.rules'
import { inputNamesOf } from '@grove/contract/maple/program/script.rules'
import { everything } from '../../../../core/scope.ts'
import { createAppletClient, type AppletClient } from '../../card/applet/testing/applet-client.ts'
import {
  startSessionServer,
  type SessionServer,
} from '../../card/session/testing/session-server.ts'
import { scriptProgram } from './script-program.ts'

let server: SessionServer
let applets: AppletClient
beforeAll(async () => {
  server = await startSessionServer()
  applets = createAppletClient(server, server.admin)
})
afterAll(() => server.close())

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

interface Answer<Body> {
  status: number
  body: Body & { code?: string }
}

async function ask<Body>(
  method: Method,
  path: string,
  payload?: object,
  headers = server.admin,
): Promise<Answer<Body>> {
  const response = await server.app.inject({
    method,
    url: `/api/maple/scripts${path}`,
    headers,
    ...(payload && { payload }),
  })
  const body = response.body === '' ? null : response.json()
  return { status: response.statusCode, body }
}

async function create(draft: string, headers = server.admin): Promise<Script> {
  const { status, body } = await ask<Script>('POST', '', { name: randomUUID(), draft }, headers)
  return status === 201 ? body : expect.fail(JSON.stringify(body))
}

async function start(id: string, body: object, headers = server.admin): Promise<ScriptRunItem[]> {
  const answer = await ask<{ items: ScriptRunItem[] }>('POST', `/${id}/run`, body, headers)
  return answer.status === 201 ? answer.body.items : expect.fail(JSON.stringify(answer.body))
}

const readRun = async ({ scriptId, id }: ScriptRunItem): Promise<ScriptRun> =>
  (await ask<ScriptRun>('GET', `/${scriptId}/run/${id}`)).body

async function ended(run: ScriptRunItem): Promise<ScriptRun> {
  await vi.waitFor(async () => expect((await readRun(run)).state).not.toMatch(/waiting|running/), {
    timeout: 30_000,
    interval: 50,
  })
  return readRun(run)
}

/** Runs a draft on one card. */
async function runOn(cplc: string, draft: string, more: object = {}, headers = server.admin) {
  const { id } = await create(draft, headers)
  const [run] = await start(id, { elements: [cplc], ...more }, headers)
  return ended(run ?? expect.fail())
}

const origin = { requestId: '', ip: '', userAgent: '' }
const textOf = ({ log }: ScriptRun) => log.map(({ text }) => text).join('\n')

test('a draft is edited, published, changed and rolled back', async () => {
  const { id, revision, version } = await create('1')
  expect([version, revision]).toEqual([null, 1])
  const publish = (body = {}) => ask<ScriptVersion>('POST', `/${id}/publish`, body)
  expect((await publish({ note: 'First' })).body).toMatchObject({
    number: 1,
    code: '1',
    note: 'First',
  })
  await ask('PUT', `/${id}`, { draft: '2' })
  expect((await ask<Script>('GET', `/${id}`)).body).toMatchObject({ isChanged: true, version: 1 })
  await publish()
  expect((await ask<Script>('GET', `/${id}`)).body).toMatchObject({ isChanged: false, version: 2 })

  const { body } = await ask<ScriptVersion>('POST', `/${id}/rollback`, { number: 1 })
  expect(body).toMatchObject({ number: 3, code: '1', restoredFrom: 1 })
  const list = await ask<{ items: ScriptVersion[] }>('GET', `/${id}/version`)
  expect(list.body.items.map(({ number }) => number)).toEqual([3, 2, 1])
  expect(list.body.items[0]?.sha256).toBe(list.body.items[2]?.sha256)
  // The draft still equals version 2.
  expect((await ask<Script>('GET', `/${id}`)).body).toMatchObject({ draft: '2', isChanged: true })

  const { rows } = await sql<{ action: string }>`
    select action from maple.event where subject = ${id} order by id`.execute(server.db)
  expect(rows.map(({ action }) => action)).toEqual([
    'script.create',
    'script.publish',
    'script.update',
    'script.publish',
    'script.rollback',
  ])
  expect((await ask('DELETE', `/${id}`)).status).toBe(204)
  expect((await ask('GET', `/${id}`)).status).toBe(404)
})

test('invalid JavaScript can be saved but not published, and the line is named', async () => {
  const { id } = await create('log(1)\nlet a = = 2')
  expect(await ask('POST', `/${id}/publish`, {})).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'draft', code: 'syntax', params: { line: 2 } }] },
  })
  expect((await ask('POST', '/check', { code: 'if (' })).body).toMatchObject({
    problem: { name: 'SyntaxError', line: 1 },
  })
  expect((await ask('POST', '/check', { code: 'for (;;) {}' })).body).toEqual({ problem: null })
})

test('a change based on an old revision, and a taken name, are refused', async () => {
  const { id, name } = await create('1')
  await ask('PUT', `/${id}`, { draft: '2' })
  const late = await server.app.inject({
    method: 'PUT',
    url: `/api/maple/scripts/${id}`,
    headers: { ...server.admin, 'if-match': '"1"' },
    payload: { draft: '3' },
  })
  expect(late.json()).toMatchObject({ code: 'edit_conflict' })
  expect((await ask('POST', '', { name })).body.code).toBe('already_exists')
})

test('a run returns its log, value, fuel and session, whose exchanges are kept', async () => {
  const cplc = await server.card()
  const run = await runOn(cplc, scriptExamples[0].code)
  expect(run).toMatchObject({ state: 'succeeded', cause: null, version: null })
  expect(JSON.parse(run.value ?? '')).toBe(cplc)
  expect(textOf(run)).toContain(`CPLC ${cplc}`)
  const { items } = await server.exchanges(run.sessionId ?? '')
  expect(items.map(({ command }) => command?.slice(2, 4))).toEqual(['A4', 'CA'])
  const { body } = await server.ask('GET', `/${run.sessionId}`)
  expect(body).toMatchObject({ purpose: 'program', endReason: 'finished' })
})

test('ten lines install an applet on the first attempt', async () => {
  const code = scriptExamples.find(({ id }) => id === 'install')?.code ?? ''
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(10)
  const cplc = await server.card()
  const { id: applet } = await applets.uploaded({ minor: 7 })
  const run = await runOn(cplc, code, { input: { applet } })
  expect([run.cause, run.value]).toEqual([null, '"succeeded"'])
  const installed = await applets.send('GET', `se/applets?cplc=${cplc}`)
  expect(installed.json().items).toContainEqual(
    expect.objectContaining({ appletId: applet, version: '1.7', sessionId: run.sessionId }),
  )
  expect((await runOn(cplc, code, { input: { applet } })).value).toBe('"unchanged"')
  const lost = await runOn(cplc, code, { input: { applet: randomUUID() } })
  expect(lost).toMatchObject({ state: 'failed', cause: { code: 'threw', line: 4 } })
})

test('every example runs on a software card @long', async () => {
  const cplc = await server.card()
  const { id: applet } = await applets.uploaded({ minor: 8 })
  const values: Record<string, unknown> = {}
  // Installed first, deleted last.
  const [first, second, ...others] = scriptExamples
  for (const { id, code } of [second, first, ...others]) {
    const run = await runOn(cplc, code, { input: { applet } })
    expect([id, run.state, run.cause]).toEqual([id, 'succeeded', null])
    values[id] = JSON.parse(run.value ?? '')
  }
  expect(values).toMatchObject({
    install: 'succeeded',
    list: expect.arrayContaining(['D2760000850101']),
    memory: { free: expect.any(Number) },
    keys: [expect.any(Number)],
    select: true,
    lock: true,
    store: '42021234',
    delete: true,
  })
  expect(scriptExamples).toHaveLength(10)
  expect(inputNamesOf(second.code)).toEqual(['applet'])
})

test('a failing script names the line, and an endless one is stopped', async () => {
  const cplc = await server.card()
  const refused = await runOn(cplc, `se.select('A0000000000000')\nassertSW(0x9000)`)
  expect(refused).toMatchObject({
    state: 'failed',
    cause: {
      code: 'threw',
      name: 'StatusError',
      message: 'SELECT answered 6A82 (notFound), not 9000',
      line: 2,
    },
  })
  expect(await runOn(cplc, `log(1)\ninput('aid')`)).toMatchObject({
    cause: { name: 'InputError', message: 'The input aid is missing.', line: 2 },
  })
  expect(await runOn(cplc, 'for (;;) {}')).toMatchObject({
    state: 'timed_out',
    cause: { code: 'fuel' },
  })
  expect(await runOn(cplc, `se.send({ kind: 'MplPutKey', keyVersion: 1 })`)).toMatchObject({
    cause: { name: 'PermissionError' },
  })
  expect(await runOn(cplc, `se.send({ kind: 'MplGetData', tag: 'XY' })`)).toMatchObject({
    cause: { name: 'TypeError', message: expect.stringContaining('tag') },
  })
  // Text that no database accepts.
  expect(textOf(await runOn(cplc, `log('a\\0b\\ud800')`))).toBe('a\u{FFFD}b\u{FFFD}')
})

test('an element with a session is skipped, and the session stays', async () => {
  const cplc = await server.card()
  const { id } = await server.open(cplc)
  expect(await runOn(cplc, 'se.select()')).toMatchObject({
    state: 'skipped',
    cause: { code: 'refused', name: 'lease_held' },
    sessionId: null,
  })
  await server.ask('POST', `/${id}/end`)
  expect((await runOn(cplc, 'se.select().sw')).value).toBe('36864')
})

test('a version runs on several elements, each with its own run, and one is replayed on the draft', async () => {
  const cards = [await server.card(), await server.card(), await server.card()]
  const { id } = await create(`log(input('name')); se.select(); 1`)
  await ask('POST', `/${id}/publish`, {})
  await ask('PUT', `/${id}`, { draft: `log(input('name')); se.select(); 2` })
  const runs = await start(id, { version: 1, elements: cards, input: { name: 'Ada' } })
  const results = await Promise.all(runs.map(ended))
  expect(results.map(({ value, log }) => [value, log[0]?.text])).toEqual(
    cards.map(() => ['1', 'Ada']),
  )
  expect(new Set(results.map(({ sessionId }) => sessionId)).size).toBe(3)
  const [first] = results
  const { cplc, input } = first ?? expect.fail()
  const [replayed] = await start(id, { elements: [cplc], input, replayOf: first?.id })
  expect(await ended(replayed ?? expect.fail())).toMatchObject({
    value: '2',
    version: null,
    replayOf: first?.id,
    code: expect.stringContaining('2'),
  })
  const list = await ask<{ items: ScriptRunItem[] }>('GET', `/${id}/run?batch=${first?.batchId}`)
  expect(list.body.items).toHaveLength(3)
  const many = {
    elements: Array.from({ length: 21 }, (_, n) => cplc.slice(0, -2) + String(n + 10)),
  }
  expect((await ask('POST', `/${id}/run`, many)).body.code).toBe('limit_reached')
})

test('as a program of a rollout, the chosen version runs, and names its session', async () => {
  const cplc = await server.card()
  const { id } = await create(`log(input('name')); se.select(); 1`)
  await ask('POST', `/${id}/publish`, {})
  const { context } = server
  const at = { id, scope: everything }
  expect(await scriptProgram.describe(context, at)).toMatchObject({ version: '1' })
  const version = await scriptProgram.load(context, { ...at, version: '1' })
  await ask('PUT', `/${id}`, { draft: 'nowhere()' })
  await ask('POST', `/${id}/publish`, {})
  expect(() => scriptProgram.readInput({ name: 5 })).toThrow('A value is a text')
  const sessions: string[] = []
  const run = (input: Record<string, string>) =>
    scriptProgram.run(context, {
      actor: { id: server.adminId, roles: ['ADMIN'], sessionId: undefined, origin },
      version: version ?? expect.fail(),
      input,
      target: { cplc, deviceId: 'DEV' },
      signal: new AbortController().signal,
      onSession: async (session) => void sessions.push(session),
    })
  const result = await run({ name: 'Ada' })
  expect(result).toEqual({ state: 'succeeded', sessionId: sessions[0] })
  expect(await run({})).toMatchObject({ state: 'failed', cause: 'The input name is missing.' })
  const { id: held } = await server.open(cplc)
  expect(await run({ name: 'Ada' })).toMatchObject({ cause: 'session_busy', isTransient: true })
  await server.ask('POST', `/${held}/end`)
})

test('a run is cancelled while it waits for its card @long', async () => {
  const cplc = await server.card()
  await server.breakCard(cplc, { delay: 100_000 })
  const { id } = await create('se.select()')
  const [run] = await start(id, { elements: [cplc] })
  await vi.waitFor(async () =>
    expect((await readRun(run ?? expect.fail())).sessionId).not.toBe(null),
  )
  const answer = await ask('POST', `/${id}/cancel`, { batch: run?.batchId })
  expect(answer.body).toEqual({ cancelled: 1 })
  expect(await ended(run ?? expect.fail())).toMatchObject({ state: 'cancelled' })
})

test('a run started by a killed process is not repeated', async () => {
  const cplc = await server.card()
  const { id } = await create('1')
  const batch = randomUUID()
  const { rows } = await sql<{ id: string }>`
    insert into maple.script_run (script_id, batch_id, cplc, code, input, state)
    values (${id}, ${batch}, ${cplc}, 'se.select()', '{}', 'running') returning id`.execute(
    server.db,
  )
  await server.context.jobs.enqueue(server.context.db, 'script.run', { batch }, { owner: '' })
  const run = { scriptId: id, id: rows[0]?.id ?? '' } as ScriptRunItem
  expect(await ended(run)).toMatchObject({
    state: 'failed',
    cause: { code: 'cut_off' },
    sessionId: null,
  })
})

test('another service provider cannot find a script, or run it on other providers’ elements', async () => {
  const roles = ['developer']
  const [acme, birch] = [await server.member('acme', roles), await server.member('birch', roles)]
  const { id } = await create('1', acme)
  const { body } = await ask<ScriptVersion>('POST', `/${id}/publish`, {}, acme)
  expect(body.number).toBe(1)
  const [ours, theirs] = [await server.card({}, 'acme'), await server.card({}, 'birch')]
  const [run] = await start(id, { elements: [ours] }, acme)
  const calls: [Method, string, object?][] = [
    ['GET', `/${id}`],
    ['PUT', `/${id}`, { draft: '2' }],
    ['DELETE', `/${id}`],
    ['POST', `/${id}/publish`, {}],
    ['POST', `/${id}/rollback`, { number: 1 }],
    ['GET', `/${id}/version`],
    ['GET', `/${id}/version/1`],
    ['POST', `/${id}/run`, { elements: [theirs] }],
    ['GET', `/${id}/run`],
    ['GET', `/${id}/run/${run?.id}`],
    ['POST', `/${id}/cancel`, { batch: run?.batchId }],
  ]
  for (const [method, path, payload] of calls)
    expect([method, path, (await ask(method, path, payload, birch)).status]).toEqual([
      method,
      path,
      404,
    ])
  expect((await ask<{ items: [] }>('GET', '', undefined, birch)).body.items).toEqual([])
  expect((await ask('POST', `/${id}/run`, { elements: [theirs] }, acme)).status).toBe(404)
})

test('rights: a viewer cannot read, an operator can run, a developer cannot send raw bytes', async () => {
  const cplc = await server.card({}, 'acme')
  const of = (role: string) => server.member('acme', [role])
  const developer = await of('developer')
  const { id } = await create(`se.transmit('80CA9F7F00')`, developer)
  expect((await ask('GET', `/${id}`, undefined, await of('viewer'))).status).toBe(403)
  const operator = await of('operator')
  expect((await ask('PUT', `/${id}`, { draft: '1' }, operator)).status).toBe(403)
  const [run] = await start(id, { elements: [cplc] }, operator)
  expect((await ended(run ?? expect.fail())).cause).toMatchObject({
    name: 'PermissionError',
    message: expect.stringContaining('session.raw'),
  })
  expect(await runOn(cplc, `se.batch(['80CA9F7F00'])`, {}, developer)).toMatchObject({
    cause: { name: 'PermissionError', message: expect.stringContaining('session.raw') },
  })
  const kinds = `se.batch([{ kind: 'MplGetData', tag: '9F7F' }]).length`
  expect((await runOn(cplc, kinds, {}, developer)).value).toBe('1')
  expect(await runOn(cplc, `se.install('${randomUUID()}')`, {}, developer)).toMatchObject({
    cause: { name: 'ProblemError' },
  })
})

test('a script selects and opens a secure channel on a logical channel', async () => {
  const cplc = await server.card()
  const run = await runOn(
    cplc,
    `se.select()
se.open({ level: '03' })
const logicalChannel = parseInt(se.send({ kind: 'ManageChannel', action: 'open' }).data, 16)
se.select(undefined, { logicalChannel })
const status = { kind: 'MplGetStatus', subset: 'issuer' }
log(logicalChannel, se.send({ ...status, logicalChannel }).status)
se.open({ level: '33', logicalChannel })
log(se.send({ ...status, logicalChannel }).status, se.send(status).status)
log(se.batch([{ ...status, logicalChannel }, status]).map(({ status }) => status).join())
try { se.send({ ...status, logicalChannel: 4 }) } catch (error) { log(error.name) }
try { se.send({ kind: 'MplSetStatus', target: 'card', cardState: 'terminated', logicalChannel }) }
catch (error) { log(error.name) }`,
  )
  expect([run.cause, run.log.map(({ text }) => text)]).toEqual([
    null,
    ['1 6982', '9000 9000', '9000,9000', 'RangeError', 'PermissionError'],
  ])
  const { items } = await server.exchanges(run.sessionId ?? expect.fail())
  expect(
    items.map(({ command, wrapped }) => wrapped?.command?.slice(0, 4) ?? command?.slice(0, 4)),
  ).toEqual([
    '00A4',
    '8050',
    '8482',
    '0070',
    '01A4',
    '81F2',
    '8150',
    '8582',
    '85F2',
    '84F2',
    '85F2',
    '84F2',
  ])
})

test('a batch returns a reply for each command, up to the first error', async () => {
  const cplc = await server.card()
  const run = await runOn(
    cplc,
    `se.select()
se.open({ level: '33' })
const number = { kind: 'MplGetData', tag: '9F7F' }
const missing = { kind: 'MplGetData', tag: 'DF7E' }
const block = { kind: 'MplStoreData', data: '4204' + '01020304', format: 'tlv' }
const shown = (replies) => log(replies.map(({ status }) => status).join(), replies.length)
shown(se.batch([number, block, number]))
assertSW()
shown(se.batch([number, missing, number]))
try { assertSW() } catch (error) { log(error.message) }
shown(se.batch([missing, number], { stopAtError: false }))
shown(se.batch([{ kind: 'MplSelect' }, '80CA9F7F00', number]))
log(se.batch(['80CA9F7F00'])[0].data === se.send(number).data)`,
  )
  expect([run.cause, run.log.map(({ text }) => text)]).toEqual([
    null,
    [
      '9000,9000,9000 3',
      '9000,6A88 2',
      'MplGetData answered 6A88 (referenceNotFound), not 9000',
      '6A88,9000 2',
      '9000,9000,9000 3',
      'true',
    ],
  ])
  const { items } = await server.exchanges(run.sessionId ?? expect.fail())
  expect(items.map(({ seq }) => seq)).toEqual(items.map((_, index) => index + 1))
  expect(items.filter(({ outcome }) => outcome !== 'answered')).toEqual([])
  // A SELECT ends the channel.
  const isProtected = items.slice(-6).map(({ wrapped }) => wrapped !== null)
  expect(isProtected).toEqual([true, false, false, false, false, false])
})

test('a batch with an invalid or reserved command sends nothing, and names the command', async () => {
  const cplc = await server.card({ lifeCycle: 0x0f })
  const run = await runOn(
    cplc,
    `se.select()
const number = { kind: 'MplGetData', tag: '9F7F' }
for (const wrong of [
  { kind: 'MplSetStatus', target: 'card', cardState: 'cardLocked' },
  { kind: 'MplPutKey', keyVersion: 1 },
  { kind: 'MplGetData', tag: 'no tag' },
  { kind: 'Nothing' },
  '80CA',
  '80F0807F',
]) try { se.batch([number, wrong, number]) } catch (error) { log(error.name, error.message.slice(0, 10)) }
for (const wrong of [[], 'text', Array(101).fill(number)])
  try { se.batch(wrong) } catch (error) { log(error.name) }`,
  )
  expect([run.cause, run.log.map(({ text }) => text)]).toEqual([
    null,
    [
      'PermissionError Command 2 ',
      'PermissionError Command 2:',
      'TypeError Command 2:',
      'TypeError Command 2:',
      'TypeError Command 2:',
      'PermissionError Command 2 ',
      'TypeError',
      'TypeError',
      'RangeError',
    ],
  ])
  expect((await server.exchanges(run.sessionId ?? expect.fail())).items).toHaveLength(1)
})
