import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { ElementSession, Exchange, RanCommand } from '@grove/contract/maple/card/session'
import { newCard } from '@grove/secure-element/card/card-state'
import { getData } from '@grove/secure-element/host/commands'
import { processActor } from '../../../../core/actor.ts'
import { openSession } from './open-session.ts'
import { openSessionHub } from './session-hub.ts'
import { leaseProofMs } from './session.queries.ts'
import { endSession, sendCommand } from './session.service.ts'
import { tidySessions } from './session-retention.ts'
import { startSessionServer, type SessionServer } from './testing/session-server.ts'

let server: SessionServer
beforeAll(async () => {
  server = await startSessionServer()
})
afterAll(() => server.close())

test('a session opens, sends a command and ends with its log', async () => {
  const cplc = await server.card()
  const { id, ...session } = await server.open(cplc)
  expect(session).toMatchObject({
    cplc,
    state: 'active',
    purpose: 'console',
    transport: 'virtual',
    heldBy: server.adminId,
    rights: { run: null, end: null, takeOver: 'already_yours' },
  })
  const { body } = await server.command(id, 'MplGetData', { tag: '9F7F' })
  expect(body).toMatchObject({
    state: 'done',
    items: [{ seq: 1, command: '80CA9F7F00', statusWord: '9000', wrapped: null, isFailed: false }],
  })
  expect(body.items[0]?.reply).toBe(`9F7F2A${cplc}9000`)
  expect((await server.ask('POST', `/${id}/end`)).body).toMatchObject({
    state: 'closed',
    endReason: 'ended',
    exchanges: 1,
    heldBy: null,
  })
  expect((await server.command(id, 'MplSelect')).body.code).toBe('session_ended')
  expect((await server.exchanges(id)).items).toEqual(body.items)
})

test('a card in S16 mode is asked again with a longer challenge, and the log has both', async () => {
  const { id } = await server.open(await server.card({ implementation: 0x71 }))
  const { items, state } = (await server.channel(id, '33')).body
  expect(state).toBe('done')
  expect(items.map(({ command, statusWord }) => [command?.slice(0, 10), statusWord])).toEqual([
    ['8050000008', '6700'],
    ['8050000010', '9000'],
    ['8482330020', '9000'],
  ])
  const { channel } = (await server.ask<ElementSession>('GET', `/${id}`)).body
  expect(channel).toMatchObject({ protocol: 'SCP03', implementation: '71', longestData: 223 })
  const read = (await server.command(id, 'MplGetStatus', { subset: 'issuer' })).body
  expect(read.items[0]?.wrapped?.command).toMatch(/^84F2800220/)
  expect(read.items[0]?.reply).toMatch(/^E3.*9000$/)
})

test('the option of an SCP02 card comes from its reply to SELECT', async () => {
  const { id } = await server.open(await server.card({ protocol: 'SCP02', implementation: 0x75 }))
  await server.command(id, 'MplSelect')
  expect((await server.channel(id, '13')).body.state).toBe('done')
  const { channel } = (await server.ask<ElementSession>('GET', `/${id}`)).body
  expect(channel).toMatchObject({ protocol: 'SCP02', implementation: '75', level: '13' })
  const read = (await server.command(id, 'MplGetStatus', { subset: 'issuer' })).body
  expect(read.items[0]?.reply).toMatch(/^E3.*9000$/)
  expect(read.items[0]?.wrapped?.reply?.length).toBe((read.items[0]?.reply?.length ?? 0) + 16)
})

test.each(['00', '01', '03', '11', '13', '33'])(
  'through a channel of level %s the log has plain and protected bytes',
  async (level) => {
    const { id } = await server.open(await server.card())
    await server.command(id, 'MplSelect')
    expect((await server.channel(id, level)).body).toMatchObject({ state: 'done' })
    const { items, state } = (await server.command(id, 'MplGetStatus', { subset: 'issuer' })).body
    expect([state, items[0]?.command, items[0]?.statusWord]).toEqual([
      'done',
      '80F28002024F0000',
      '9000',
    ])
    expect(items[0]?.reply).toMatch(/^E3.*9000$/)
    if (level === '00') expect(items[0]?.wrapped).toBeNull()
    else {
      expect(items[0]?.wrapped?.command).toMatch(/^84F28002/)
      expect(items[0]?.wrapped?.reply).toMatch(/9000$/)
    }
  },
)

test('an element has one session, and anyone who asks for another learns whose it is', async () => {
  const cplc = await server.card()
  const first = await server.open(cplc)
  const other = await server.bearer(['ADMIN'])
  const refused = await server.ask('POST', '', { cplc }, other)
  expect([refused.status, refused.body.code]).toEqual([409, 'lease_held'])
  expect(refused.body.errors?.[0]?.params).toEqual({
    session: first.id,
    holder: server.adminId,
    purpose: 'console',
  })
  const taken = await server.ask<ElementSession>('POST', '', { cplc, takeOver: true }, other)
  expect(taken.status).toBe(201)
  expect(await server.read(first.id)).toMatchObject({ state: 'closed', endReason: 'taken_over' })
  expect((await server.command(first.id, 'MplSelect')).body.code).toBe('session_ended')
})

test('only the holder sends; taking over transfers the session with its channel', async () => {
  const { id } = await server.open(await server.card())
  await server.command(id, 'MplSelect')
  await server.channel(id)
  const secondId = randomUUID()
  const second = await server.bearer(['ADMIN'], secondId)
  const send = (headers = second) =>
    server.ask<RanCommand>('POST', `/${id}/command`, { kind: 'MplGetStatus' }, headers)
  expect((await send()).body).toMatchObject({ code: 'session_held' })
  expect((await send()).body.detail).toContain(server.adminId)
  const taken = await server.ask<ElementSession>('POST', `/${id}/takeOver`, undefined, second)
  expect(taken.body).toMatchObject({ heldBy: secondId, channel: { level: '33' } })
  expect((await send()).body).toMatchObject({ state: 'done', items: [{ statusWord: '9000' }] })
  expect((await send(server.admin)).body.code).toBe('session_held')
  expect((await server.ask('POST', `/${id}/takeOver`, undefined, second)).body.code).toBe(
    'already_yours',
  )
})

test('a command id sends once, however often and quickly it is repeated @long', async () => {
  const { id } = await server.open(await server.card())
  const commandId = randomUUID()
  const send = () => server.command(id, 'MplGetData', { tag: '9F7F' }, { id: commandId })
  const answers = [...(await Promise.all([send(), send(), send()])), await send()]
  for (const { status, body } of answers)
    expect([status, body.items.map(({ seq }) => seq)]).toEqual([200, [1]])
  expect((await server.exchanges(id)).items).toHaveLength(1)
  const elsewhere = await server.open(await server.card())
  const again = await server.command(elsewhere.id, 'MplSelect', {}, { id: commandId })
  expect(again.body.code).toBe('already_exists')
})

test('a card that chooses keys that Grove lacks is offered those that Grove has', async () => {
  const cplc = await server.card()
  const { keySets, ...state } = newCard({ seed: 'two sets', cplc })
  const [own] = keySets
  const [makers] = newCard({ seed: 'maker', cplc, keys: otherKeys }).keySets
  const both = { ...state, keySets: [{ ...makers, version: 0x42 }, own] }
  await sql`update maple.software_card set state = ${JSON.stringify(both)}::jsonb
    where cplc = ${cplc}`.execute(server.db)
  const { id } = await server.open(cplc)
  const { body } = await server.channel(id)
  expect(body).toMatchObject({ state: 'done' })
  const version = own?.version.toString(16).toUpperCase().padStart(2, '0')
  expect(body.items.map(({ command }) => command?.slice(0, 8))).toEqual([
    '80500000',
    `8050${version}00`,
    '84823300',
  ])
  // If a person names a version, only that one is tried.
  expect((await server.channel(id, '33', { keyVersion: 0x42 })).body).toMatchObject({
    state: 'refused',
    problem: { code: 'key_missing' },
  })
  expect(await server.read(id)).toMatchObject({ state: 'active' })
})

test('keys that do not match are tried once, and the element is blocked until someone clears it', async () => {
  const cplc = await server.card()
  const state = newCard({ seed: 'other', cplc, keys: otherKeys })
  await sql`update maple.software_card set state = ${JSON.stringify(state)}::jsonb
    where cplc = ${cplc}`.execute(server.db)
  const { id } = await server.open(cplc)
  const { body } = await server.channel(id)
  expect(body).toMatchObject({ state: 'refused', problem: { code: 'wrong_keys' } })
  expect(body.items.map(({ command }) => command?.slice(0, 4))).toEqual(['8050'])
  expect(await server.read(id)).toMatchObject({
    state: 'failed',
    failure: {
      code: 'wrong_keys',
      message: expect.stringMatching(
        /cryptogram.* No keys that Grove knows fit the card\./,
      ) as string,
      mismatch: { finding: 'unknown', version: 0x30, protocol: 'SCP03' },
    },
  })
  const next = await server.open(cplc)
  for (let attempt = 0; attempt < 2; attempt++)
    expect((await server.channel(next.id)).body).toMatchObject({
      state: 'refused',
      problem: { code: 'element_blocked' },
      items: [],
    })
  expect((await server.command(next.id, 'MplGetData', { tag: '9F7F' })).body.state).toBe('done')
  const unblock = async () => {
    const url = '/api/maple/se/unblock'
    const request = { method: 'POST', url, payload: { cplc }, headers: server.admin } as const
    const answer = await server.app.inject(request)
    return answer.json<{ state?: string; code?: string }>()
  }
  expect(await unblock()).toEqual({ cplc, state: 'unknown' })
  expect(await unblock()).toMatchObject({ code: 'transition_refused' })
  // The keys are still others: the next attempt is one attempt again.
  expect((await server.channel(next.id)).body.problem?.code).toBe('wrong_keys')
})

const other = '00112233445566778899AABBCCDDEEFF'
const otherKeys = { version: 0x30, enc: other, mac: other, dek: other }

test('a power failure leaves an exchange with an unknown outcome, and nothing repeats it', async () => {
  const cplc = await server.card()
  const { id } = await server.open(cplc)
  await server.command(id, 'MplSelect')
  await server.channel(id)
  await server.breakCard(cplc, { powerCutBeforeWrite: 1 })
  const { body } = await server.command(id, 'MplStoreData', { data: '4203112233' })
  expect(body).toMatchObject({ state: 'unknown', problem: { code: 'power_lost' } })
  const last = (await server.exchanges(id)).items.at(-1)
  expect(last).toMatchObject({
    outcome: 'unknown',
    command: '80E28000054203112233',
    statusWord: null,
    isFailed: true,
  })
  const session = await server.read(id)
  expect(session).toMatchObject({ state: 'failed', failure: { code: 'power_lost' }, failed: 1 })
  expect(session.firstError).toBe(last?.seq)
  expect(session.exchanges).toBe(last?.seq)
})

test('keys cannot be sent manually, in any form', async () => {
  const { id } = await server.open(await server.card())
  const { body } = await server.command(id, 'MplPutKey', { keyVersion: 1 })
  expect(body.code).toBe('keys_need_rotation')
  // The session knows what is selected, which decides about bytes.
  const attempts = [
    server.raw(id, `80D8008113${'11'.repeat(19)}`),
    server.raw(id, `84D8008113${'11'.repeat(19)}`, { isPlain: true }),
    server.raw(id, '80D8'.padEnd(12, '0')),
  ]
  for (const attempt of attempts) {
    const { code, problem } = (await attempt).body
    expect(problem?.code ?? code).toBe('keys_need_rotation')
  }
  expect((await server.exchanges(id)).items).toEqual([])
})

test('values are checked before anything is sent, and the answer names them', async () => {
  const { id } = await server.open(await server.card())
  for (const [kind, values, path] of [
    ['MplSelect', { aid: 'XX' }, 'values.aid'],
    ['MplSelect', { aid: '0102' }, 'values.aid'],
    ['MplSelect', { other: 1 }, 'values.other'],
    ['MplGetData', {}, 'values.tag'],
    ['MplGetStatus', { subset: 'all' }, 'values.subset'],
    ['MplSetStatus', { target: 'lock', aid: 5 }, 'values.aid'],
    ['MplDelete', { keyVersion: 128 }, 'values.keyVersion'],
    ['MplInstall', { privileges: ['everything'] }, 'values.privileges'],
  ] as const) {
    const { status, body } = await server.command(id, kind, values)
    expect([kind, status, body.errors?.[0]?.path]).toEqual([kind, 400, path])
  }
  expect((await server.raw(id, '80CA9F')).body.errors?.[0]?.path).toBe('command')
  expect((await server.exchanges(id)).items).toEqual([])
})

test('exchanges are listed in pages from any position, filtered by failures and by contents', async () => {
  const { id } = await server.open(await server.card())
  for (const tag of ['9F7F', '66', 'DF01', '9F7F', 'DF02'])
    await server.command(id, 'MplGetData', { tag })
  await server.command(id, 'MplSelect')
  const seqs = async (query: string) =>
    (await server.exchanges(id, query)).items.map(({ seq }) => seq)
  expect(await seqs('?limit=200')).toEqual([1, 2, 3, 4, 5, 6])
  expect(await seqs('?from=4&limit=2')).toEqual([4, 5])
  expect(await seqs('?failed=true')).toEqual([3, 5])
  expect(await seqs('?ins=A4')).toEqual([6])
  expect(await seqs('?q=9f7f')).toEqual([1, 4])
  expect(await seqs('?order=desc&limit=3')).toEqual([6, 5, 4])
  const first = await server.exchanges(id, '?limit=2&q=80CA')
  const next = await server.exchanges(id, `?limit=2&q=80CA&cursor=${first.next}`)
  const back = await server.exchanges(id, `?limit=2&q=80CA&cursor=${next.previous}`)
  expect([first, next, back].map(({ items }) => items.map(({ seq }) => seq))).toEqual([
    [1, 2],
    [3, 4],
    [1, 2],
  ])
  expect(await server.exchanges(id, '?cursor=bm90aGluZw')).toMatchObject({ code: 'bad_cursor' })
  expect(await server.read(id)).toMatchObject({ exchanges: 6, failed: 2, firstError: 3 })
})

test('sessions are listed by state, element, person and time', async () => {
  const cplc = await server.card()
  const first = await server.open(cplc)
  await server.ask('POST', `/${first.id}/end`)
  const second = await server.open(cplc)
  const ids = async (query: string) =>
    (await server.ask<{ items: ElementSession[] }>('GET', query)).body.items.map(({ id }) => id)
  expect(await ids(`?cplc=${cplc}`)).toEqual([second.id, first.id])
  expect(await ids(`?cplc=${cplc}&state=closed`)).toEqual([first.id])
  expect(await ids(`?cplc=${cplc}&device=${second.deviceId}&state=active`)).toEqual([second.id])
  expect(await ids(`?openedBy=nobody`)).toEqual([])
  expect(await ids(`?cplc=${cplc}&from=${second.openedAt}`)).toEqual([second.id])
  expect(await ids(`?cplc=${cplc}&to=${second.openedAt}`)).toEqual([first.id])
})

test('a session exports as text, JSON and a script, and repeats on another card', async () => {
  const { id } = await server.open(await server.card())
  await server.command(id, 'MplSelect')
  await server.channel(id, '03')
  await server.command(id, 'MplGetStatus', { subset: 'issuer' })
  await server.raw(id, '0020000004 31323334', { isPlain: true })
  await server.command(id, 'MplGetData', { tag: 'DF01' })
  const file = async (format: string) =>
    (
      await server.app.inject({
        url: `/api/maple/sessions/se/${id}/export?format=${format}`,
        headers: server.admin,
      })
    ).body
  expect(await file('text')).toContain('GET STATUS')
  const json = JSON.parse(await file('json')) as { exchanges: Exchange[] }
  expect(json.exchanges).toEqual((await server.exchanges(id)).items)
  const script = (await file('script')).split('\n').filter((line) => line !== '')
  expect(
    script.filter((line) => !line.startsWith('#')).map((line) => line.split(' ')[0]?.slice(0, 8)),
  ).toEqual(['00A40400', '80500000', '84820300', '80F28002', '80CADF01'])
  expect(script.find((line) => line.includes('VERIFY'))).toMatch(/^# /)
  await server.ask('POST', `/${id}/end`)

  const same = await server.card()
  const replay = await server.ask<Replay>('POST', `/${id}/replay`, { cplc: same })
  expect(replay.body).toMatchObject({ compared: 4, skipped: 1, difference: null })
  expect(replay.body.session).toMatchObject({ state: 'closed', replayOf: id, purpose: 'replay' })

  const different = await server.card()
  await server.breakCard(different, { wrongStatusWord: { ins: 0xf2, statusWord: 0x6985 } })
  expect(
    (await server.ask<Replay>('POST', `/${id}/replay`, { cplc: different })).body.difference,
  ).toEqual({
    seq: 4,
    command: '80F28002024F0000',
    expected: '9000',
    found: '6985',
  })
})

interface Replay {
  session: ElementSession
  compared: number
  skipped: number
  difference: object | null
}

test('a session of another service provider does not exist, for any call', async () => {
  const cplc = await server.card({}, 'acme')
  const { id } = await server.open(cplc)
  const insider = await server.member('acme')
  const outsider = await server.member('umbra')
  expect((await server.ask('GET', `/${id}`, undefined, insider)).status).toBe(200)
  const posts: [string, object?][] = [
    ['', { cplc }],
    ['', { cplc, takeOver: true }],
    [`/${id}/channel`, { level: '33' }],
    [`/${id}/command`, { kind: 'MplSelect' }],
    [`/${id}/raw`, { command: '00A40400' }],
    [`/${id}/takeOver`],
    [`/${id}/end`],
    [`/${id}/replay`, { cplc }],
  ]
  const gets = [
    `/${id}`,
    `/${id}/exchange`,
    `/${id}/stream`,
    `/${id}/export?format=json`,
    `/${id}/pcap`,
  ]
  for (const [url, body] of posts)
    expect([url, (await server.ask('POST', url, body, outsider)).status]).toEqual([url, 404])
  for (const url of gets)
    expect([url, (await server.ask('GET', url, undefined, outsider)).status]).toEqual([url, 404])
  const list = async (headers: { authorization: string }) =>
    (await server.ask<{ items: ElementSession[] }>('GET', '', undefined, headers)).body.items
  expect((await list(insider)).map((each) => each.id)).toEqual([id])
  expect(await list(outsider)).toEqual([])
  expect(await server.read(id)).toMatchObject({ state: 'active' })
})

test('people who may only read see a session and its reasons, and send nothing', async () => {
  const { id } = await server.open(await server.card({}, 'acme'))
  const auditor = await server.member('acme', ['auditor'])
  const { body } = await server.ask<ElementSession>('GET', `/${id}`, undefined, auditor)
  expect(body.rights).toEqual({ run: 'forbidden', end: 'forbidden', takeOver: 'forbidden' })
  for (const call of ['command', 'raw', 'end', 'takeOver'])
    expect((await server.ask('POST', `/${id}/${call}`, {}, auditor)).status).toBe(403)
})

test('an unused session expires', async () => {
  const { id } = await server.open(await server.card())
  const session = server.context.sessions.live.get(id)
  await session?.finish({ state: 'expired', reason: 'idle' })
  expect(await server.read(id)).toMatchObject({ state: 'expired', endReason: 'idle', heldBy: null })
})

test('old logs are deleted with their day, and an open session keeps its own', async () => {
  const { id } = await server.open(await server.card())
  await server.command(id, 'MplSelect')
  const later = { ...server.context, now: () => Date.now() + 100 * 86_400_000 }
  const tidy = () => tidySessions(later, new AbortController().signal)
  await tidy()
  expect((await server.exchanges(id)).items).toHaveLength(1)
  for (const live of server.context.sessions.live.values()) await live.end()
  await tidy()
  expect((await server.ask('GET', `/${id}`)).status).toBe(404)
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relname like 'exchange_2%' and relkind = 'r' order by 1`.execute(server.db)
  expect(rows).toHaveLength(2)
})

test.each([
  ['as soon as a notice arrives', true],
  ['when it looks, where no notice arrives', false],
])('a command of another process runs once, where the session is, %s', async (_, isTold) => {
  const { db, now, sessions: own } = server.context
  const { notices } = server.platform.database
  const sessions = openSessionHub({ db, now }, { isAlone: false, ...(isTold && { notices }) })
  const other = { ...server.context, sessions }
  await vi.waitFor(() => expect(notices.isLive()).toBe(true))
  const before = own.settings.slowPollMs
  own.settings.slowPollMs = isTold ? 1e9 : 10
  sessions.settings.slowPollMs = 1e9
  const actor = {
    id: server.adminId,
    roles: ['ADMIN'],
    sessionId: undefined,
    origin: { requestId: '', ip: '', userAgent: '' },
  }
  const { id } = await server.open(await server.card())
  sessions.start(() => {})
  const commandId = randomUUID()
  const input = { type: 'kind', kind: 'MplGetData', values: { tag: '9F7F' } } as const
  const sent = [1, 2].map(() => sendCommand(other, actor, { id, commandId, input }))
  for (const result of await Promise.all(sent))
    expect(result).toMatchObject({ state: 'done', items: [{ seq: 1, command: '80CA9F7F00' }] })
  const { rows } = await sql`select sealed_input from maple.session_command
    where session_id = ${id}`.execute(server.db)
  expect(rows).toEqual([{ sealed_input: null }])
  expect(await endSession(other, actor, { id })).toMatchObject({ state: 'closed', exchanges: 1 })
  expect(own.live.has(id)).toBe(false)
  own.settings.slowPollMs = before
  await sessions.close()
})

test('a process that lost its lease sends nothing more', async () => {
  const cplc = await server.card()
  const { id } = await server.open(cplc)
  await sql`update maple.session_lease set process_id = ${randomUUID()} where session_id = ${id}`.execute(
    server.db,
  )
  expect((await server.command(id, 'MplSelect')).body).toMatchObject({
    state: 'refused',
    problem: { code: 'lease_lost' },
    items: [],
  })
  expect((await server.exchanges(id)).items).toEqual([])
})

/** A flight as stored in a lease. */
const flightOf = (seq: number) => ({
  seq,
  at: '2026-01-01T00:00:00.000Z',
  step: null,
  ins: 0xca,
  command: '80CA9F7F00',
  sent: null,
  redacted: null,
})

test('commands in flight become exchanges with an unknown outcome, including those of an earlier release @long', async () => {
  const batch = { ...flightOf(1), rest: [flightOf(2), flightOf(3)] }
  for (const [flight, exchanges, seqs] of [
    [flightOf(1), 0, [1]],
    [batch, 0, [1, 2, 3]],
    // The replies of the first two were stored together with the following commands.
    [batch, 2, [3]],
  ] as const) {
    const { id } = await server.open(await server.card())
    await sql`update maple.session_lease set flight = ${JSON.stringify(flight)}::jsonb,
      exchanges = ${exchanges}, process_id = ${randomUUID()} where session_id = ${id}`.execute(
      server.db,
    )
    expect((await server.read(id)).state).toBe('waiting')
    await server.context.sessions.sweep()
    expect(await server.read(id)).toMatchObject({
      endReason: 'server_restarted',
      exchanges: exchanges + seqs.length,
      failed: seqs.length,
      firstError: seqs[0],
    })
    const { items } = await server.exchanges(id)
    expect(items.map(({ seq, outcome }) => [seq, outcome])).toEqual(
      seqs.map((seq) => [seq, 'unknown']),
    )
  }
})

test('replies of a batch are stored next to its commands, which stay stored until the end', async () => {
  const cplc = await server.card()
  const session = await openSession(server.context, processActor('test'), {
    cplc,
    purpose: 'program',
  })
  await server.breakCard(cplc, { delay: 25 })
  const steps = Array.from({ length: 30 }, () => ({ commands: [getData({ tag: '9F7F' })] }))
  const sent = session.sendBatch(steps)
  // The loss is noticed by its next write or by the sweep, whichever comes first.
  const ended = expect(sent).rejects.toMatchObject({
    code: expect.stringMatching(/^(lease_lost|session_ended)$/),
  })
  const lease = async () => {
    const { rows } = await sql<{ exchanges: number; rest: number }>`
      select exchanges, jsonb_array_length(flight -> 'rest') as rest from maple.session_lease
      where session_id = ${session.id}`.execute(server.db)
    return rows[0] ?? expect.fail('no lease')
  }
  await vi.waitFor(async () => expect((await lease()).exchanges).toBeGreaterThan(0), {
    interval: 10,
  })
  expect((await lease()).rest).toBe(29)
  // As if its process were killed now.
  await sql`update maple.session_lease set process_id = ${randomUUID()}
    where session_id = ${session.id}`.execute(server.db)
  await server.context.sessions.sweep()
  const { items } = await server.exchanges(session.id)
  expect(items.map(({ seq }) => seq)).toEqual(steps.map((_, index) => index + 1))
  const answered = items.filter(({ outcome }) => outcome === 'answered').length
  expect(answered).toBeGreaterThan(0)
  expect(items.slice(answered).every(({ outcome }) => outcome === 'unknown')).toBe(true)
  expect(await server.read(session.id)).toMatchObject({ exchanges: 30, failed: 30 - answered })
  await ended
})

test('a process that takes over an element waits until the other’s batch has stopped', async () => {
  const { db, now } = server.context
  const cplc = await server.card()
  const actor = processActor('test')
  const first = await openSession(server.context, actor, { cplc, purpose: 'program' })
  await server.breakCard(cplc, { delay: 30 })
  const steps = Array.from({ length: 100 }, () => ({ commands: [getData({ tag: '9F7F' })] }))
  const sent = first.sendBatch(steps)
  const ended = expect(sent).rejects.toMatchObject({ name: 'SessionError' })
  await vi.waitFor(() => expect(first.log.last()).toBeGreaterThan(0))
  const sessions = openSessionHub({ db, now }, { isAlone: false })
  const start = performance.now()
  const second = await openSession({ ...server.context, sessions }, actor, {
    cplc,
    purpose: 'program',
    takeOver: true,
  })
  expect(performance.now() - start).toBeGreaterThan(leaseProofMs)
  await ended
  // The log has all commands of the lease, whether or not they were sent.
  const { items } = await server.exchanges(first.id)
  expect(items.map(({ seq }) => seq)).toEqual(steps.map((_, index) => index + 1))
  expect(first.log.last()).toBeLessThan(steps.length)
  await second.end()
  await sessions.close()
})
