import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type {
  RunQuestion,
  Script,
  ScriptRun,
  ScriptRunItem,
} from '@grove/contract/maple/program/script'
import { everything } from '../../../../core/scope.ts'
import {
  startSessionServer,
  type SessionServer,
} from '../../card/session/testing/session-server.ts'
import { scriptProgram } from './script-program.ts'

let server: SessionServer
beforeAll(async () => {
  server = await startSessionServer()
})
afterAll(() => server.close())

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it says what is asked for
async function ask<Body>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  payload?: object,
  headers = server.admin,
): Promise<{ status: number; body: Body & { code?: string }; text: string }> {
  const url = `/api/maple/scripts${path}`
  const answer = await server.app.inject({ method, url, headers, ...(payload && { payload }) })
  const body = answer.body === '' ? null : answer.json()
  return { status: answer.statusCode, body, text: answer.body }
}

async function create(draft: string): Promise<string> {
  const { status, body } = await ask<Script>('POST', '', { name: randomUUID(), draft })
  return status === 201 ? body.id : expect.fail(JSON.stringify(body))
}

/** Starts a draft on a new card. */
async function started(id: string, more: object = {}): Promise<string> {
  const elements = [await server.card()]
  const { body } = await ask<{ items: ScriptRunItem[] }>('POST', `/${id}/run`, {
    elements,
    ...more,
  })
  const [run] = body.items
  return `/${id}/run/${run?.id ?? expect.fail(JSON.stringify(body))}`
}

const read = async (path: string) => (await ask<ScriptRun>('GET', path)).body

const until = (path: string, isThere: (run: ScriptRun) => boolean) =>
  vi.waitFor(
    async () => {
      const run = await read(path)
      return isThere(run) ? run : expect.fail(JSON.stringify(run))
    },
    { timeout: 30_000, interval: 50 },
  )
const ended = (path: string) => until(path, ({ finishedAt }) => finishedAt !== null)
const asked = async (path: string, number: number): Promise<RunQuestion> => {
  const { question } = await until(path, (run) => run.question?.number === number)
  return question ?? expect.fail('no question')
}
const answer = (path: string, number: number, value: string, headers = server.admin) =>
  ask<ScriptRun>('POST', `${path}/answer`, { number, value }, headers)
const textOf = ({ log }: ScriptRun) => log.map(({ text }) => text)

test('a script asks the person who started it, and nobody else can answer', async () => {
  const id = await create(`const name = prompt('Who holds the card?')
    log('held by', name)
    prompt('And now?', { seconds: 30 })`)
  const path = await started(id)
  const first = await asked(path, 1)
  expect(first).toMatchObject({ type: 'prompt', text: 'Who holds the card?', isYours: true })
  const { items } = (await ask<{ items: ScriptRunItem[] }>('GET', `/${id}/run`)).body
  expect(items).toMatchObject([{ isAsking: true, state: 'running' }])

  const other = await server.bearer(['ADMIN'])
  const seen = await ask<ScriptRun>('GET', path, undefined, other)
  expect(seen.body.question).toMatchObject({ isYours: false })
  expect(await answer(path, 1, 'Eve', other)).toMatchObject({
    status: 403,
    body: { code: 'forbidden' },
  })
  expect((await answer(path, 2, 'too early')).status).toBe(404)
  expect((await answer(path, 1, 'Ada')).status).toBe(200)
  await asked(path, 2)
  // The answer is not stored.
  const { rows } = await sql<{ row: string }>`
    select (run.*)::text as row from maple.script_run as run where script_id = ${id}`.execute(
    server.db,
  )
  expect(rows[0]?.row).not.toContain('"value": "Ada"')
  expect((await answer(path, 1, 'late')).status).toBe(404)
  await answer(path, 2, 'done')
  const run = await ended(path)
  expect(run).toMatchObject({
    state: 'succeeded',
    value: '"done"',
    question: null,
    isAsking: false,
  })
  expect(textOf(run)).toEqual(['held by Ada'])
})

test('a question without an answer in time is an error that the script may catch @long', async () => {
  const id = await create(`let told = ''
    try { prompt('Anybody?', { seconds: 1 }) } catch (error) { told = error.name + ': ' + error.message }
    const wrong = [() => prompt(''), () => prompt('x', { seconds: 0 }), () => prompt('x'.repeat(501))]
    const names = wrong.map((call) => { try { call() } catch (error) { return error.name } })
    ;[told, names.join()]`)
  expect(await ended(await started(id))).toMatchObject({
    state: 'succeeded',
    value: '["PromptError: Nobody answered: Anybody?","TypeError,RangeError,RangeError"]',
  })
})

test('a run is cancelled while it asks', async () => {
  const id = await create(`prompt('Who?')`)
  const path = await started(id)
  await asked(path, 1)
  const { batchId } = await read(path)
  await ask('POST', `/${id}/cancel`, { batch: batchId })
  expect(await ended(path)).toMatchObject({ state: 'cancelled', question: null })
})

test('a run is stepped through, and then continued', async () => {
  const id = await create(`se.select()
    se.send({ kind: 'MplGetData', tag: '9F7F' })
    se.send({ kind: 'MplGetData', tag: '0066' })`)
  const path = await started(id, { isStepped: true })
  expect(await asked(path, 1)).toMatchObject({ type: 'step', text: 'se.select()' })
  const sent = async () =>
    (await server.exchanges((await read(path)).sessionId ?? expect.fail())).items.length
  expect(await sent()).toBe(0)
  expect((await answer(path, 1, 'jump')).status).toBe(400)
  await answer(path, 1, 'next')
  expect(await asked(path, 2)).toMatchObject({
    text: 'se.send({"kind":"MplGetData","tag":"9F7F"})',
  })
  expect(await sent()).toBe(1)
  await answer(path, 2, 'run')
  expect(await ended(path)).toMatchObject({ state: 'succeeded' })
  expect(await sent()).toBe(3)
  const two = { elements: [await server.card(), await server.card()], isStepped: true }
  expect((await ask('POST', `/${id}/run`, two)).body.code).toBe('limit_reached')
})

const value = 'C0FFEE0123456789'

test('a secret goes to the card, and is in no log, answer, stream, export or row', async () => {
  const id = await create(`log(secret('pin'))
    const refused = [
      () => se.send({ kind: 'MplSelect', aid: secret('pin') }),
      () => se.transmit('00A40400' + secret('pin')),
      () => se.batch(['00A40400' + secret('pin')]),
      () => se.batch([{ kind: 'MplSelect', aid: secret('pin') }]),
      () => secret('nothing'),
    ].map((call) => { try { call() } catch (error) { return error.name } })
    se.select()
    se.open({ level: '33' })
    se.send({ kind: 'MplStoreData', data: '4208' + secret('pin'), format: 'tlv' })
    assertSW(0x9000)
    se.batch([{ kind: 'MplStoreData', data: '4208' + secret('pin'), format: 'tlv' }])
    assertSW(0x9000)
    ;[refused.join(), String(secret('pin') === secret('pin'))]`)
  const put = await ask('PUT', `/${id}/secret`, { name: 'pin', value: value.toLowerCase() })
  expect([put.status, put.text.includes(value)]).toEqual([200, false])
  const wrong = await ask('PUT', `/${id}/secret`, { name: 'pin', value: 'no hex' })
  expect(wrong.status).toBe(400)
  const path = await started(id)
  const run = await ended(path)
  expect(run.value).toBe('["SecretError,TypeError,TypeError,SecretError,SecretError","true"]')
  const sessionId = run.sessionId ?? expect.fail()
  const { items } = await server.exchanges(sessionId)
  const [stored] = items.slice(-1)
  expect(stored).toMatchObject({ redacted: { reason: 'secret' } })
  const texts = [
    JSON.stringify(run),
    JSON.stringify(items),
    await server.streamed(sessionId),
    (await ask('GET', `/${id}/secret`)).text,
    ...(await Promise.all(
      ['text', 'json', 'script'].map(async (format) => {
        const url = `/api/maple/sessions/se/${sessionId}/export?format=${format}`
        const answered = await server.app.inject({ method: 'GET', url, headers: server.admin })
        expect(answered.statusCode).toBe(200)
        return answered.body
      }),
    )),
  ]
  for (const table of ['script_run', 'exchange', 'event', 'handler_secret', 'job']) {
    const { rows } = await sql<{ text: string | null }>`
      select string_agg((each.*)::text, ' ') as text from ${sql.table(`maple.${table}`)} as each`.execute(
      server.db,
    )
    texts.push(rows[0]?.text ?? '')
  }
  for (const text of texts) expect(text.toUpperCase()).not.toContain(value)
  // If a card echoes it, the script gets its name.
  await ask('PUT', `/${id}`, {
    draft: `se.select(); se.send({ kind: 'MplGetData', tag: '42' }).data`,
  })
  const elements = [run.cplc]
  const { body } = await ask<{ items: ScriptRunItem[] }>('POST', `/${id}/run`, { elements })
  const repeated = await ended(`/${id}/run/${body.items[0]?.id ?? ''}`)
  expect(repeated.value).toMatch(/\[secret pin\]"$/)
  // It did reach the card.
  const { rows } = await sql<{ row: string }>`
    select state::text as row from maple.software_card where cplc = ${run.cplc}`.execute(server.db)
  expect(rows[0]?.row.toUpperCase()).toContain(value)
  expect((await ask('DELETE', `/${id}/secret?name=pin`)).status).toBe(204)
  expect((await ask('DELETE', `/${id}/secret?name=pin`)).status).toBe(404)
})

test('a script in a rollout cannot prompt', async () => {
  const id = await create(`prompt('Who?')`)
  await ask('POST', `/${id}/publish`, {})
  const actor = {
    id: server.adminId,
    roles: ['ADMIN'],
    sessionId: undefined,
    origin: { requestId: '', ip: '', userAgent: '' },
  }
  const version = await scriptProgram.load(server.context, { id, scope: everything, version: '1' })
  const ran = await scriptProgram.run(server.context, {
    actor,
    version: version ?? expect.fail(),
    input: {},
    target: { cplc: await server.card(), deviceId: '' },
    signal: new AbortController().signal,
  })
  expect(ran).toMatchObject({
    state: 'failed',
    cause: 'Rollouts cannot prompt. Give the script an input.',
  })
})

test('another service provider neither answers nor sees secrets', async () => {
  const id = await create(`prompt('Who?')`)
  const path = await started(id)
  await asked(path, 1)
  const stranger = await server.member(`s-${randomUUID()}`, ['developer'])
  const answers = await Promise.all([
    answer(path, 1, 'me', stranger),
    ask('GET', `/${id}/secret`, undefined, stranger),
    ask('PUT', `/${id}/secret`, { name: 'pin', value }, stranger),
    ask('DELETE', `/${id}/secret?name=pin`, undefined, stranger),
  ])
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
  await answer(path, 1, 'me')
  await ended(path)
})
