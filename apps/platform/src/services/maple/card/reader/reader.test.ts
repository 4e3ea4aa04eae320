import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { WebSocket, type RawData } from 'ws'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Reader } from '@grove/contract/maple/card/reader'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { softwareCard } from '@grove/secure-element/card/software-card'
import { hashIdentity } from '@grove/secure-element/hash-identity'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { readSettings } from '../../base/settings.ts'
import { maple } from '../../index.ts'
import type { MapleDb } from '../../base/tables.ts'
import { readerConnection } from './reader-connection.ts'
import { touchReaders } from './reader.queries.ts'

let server: TestServer
let db: MapleDb
let headers: { authorization: string }
let address = ''
beforeAll(async () => {
  server = await startTestServer([maple], { env: { GROVE_CARD_SECONDS: '3' } })
  db = server.platform.db
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  address = `127.0.0.1:${(server.app.server.address() as AddressInfo).port}`
  headers = await server.bearer(['ADMIN'])
})
const sockets: WebSocket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.terminate()
})
beforeEach(async () => {
  await sql`truncate maple.reader, maple.service, maple.account, maple.element cascade`.execute(db)
})
afterAll(() => server.close())

const ask = async (
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  payload?: object,
  as: Record<string, string> = headers,
) => {
  const response = await server.app.inject({
    method,
    url: `/api/maple/reader${path}`,
    headers: as,
    ...(payload && { payload }),
  })
  return { status: response.statusCode, body: response.body === '' ? null : response.json() }
}
const list = async (as = headers) =>
  ((await ask('GET', '', undefined, as)).body as { items: Reader[] }).items

/** A reader with its key. */
async function paired(as = headers) {
  const { body } = await ask('POST', '', { name: 'Desk' }, as)
  const claimed = await ask('POST', '/claim', { code: body.code }, {})
  return { id: body.id as string, key: claimed.body.key as string, code: body.code as string }
}

const textOf = (data: RawData) => (Buffer.isBuffer(data) ? data.toString() : '')

interface Heard {
  type: string
  id: number
  data: string
}

/** A program as a hostile or an honest one may be. */
function program(
  key: string,
  more: Record<string, string> = {},
  path = '/api/maple/reader/socket',
) {
  const socket = new WebSocket(`ws://${address}${path}`, {
    headers: { authorization: `Bearer ${key}`, ...more },
  })
  sockets.push(socket)
  const heard: Heard[] = []
  socket.on('message', (data) => {
    heard.push(JSON.parse(textOf(data)) as Heard)
    socket.emit('heard')
  })
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve())
  })
  return {
    socket,
    heard,
    closed,
    refused: new Promise<number>((resolve) => {
      socket.once('unexpected-response', (_, response) => {
        resolve(response.statusCode ?? 0)
        socket.terminate()
      })
    }),
    say: (message: object | string) =>
      socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    until: async (type: string) => {
      for (;;) {
        const found = heard.find((each) => each.type === type)
        if (found) return found
        await once(socket, 'heard')
      }
    },
  }
}

/** Connects a software card, answering like the reader's program. */
async function connected(key: string, card = softwareCard({ seed: 'bridge' }), id?: string) {
  const link = program(key)
  await once(link.socket, 'open')
  link.say({ type: 'hello', version: 1, reader: 'Virtual PCD 00 00', host: 'desk.example' })
  await link.until('welcome')
  const { cplc } = card.snapshot()
  link.say({ type: 'card', atr: '3B00', cplc })
  const listed = async () => (await list()).filter((each) => id === undefined || each.id === id)
  await vi.waitFor(async () => expect(await listed()).toMatchObject([{ state: 'connected', cplc }]))
  const answers = () =>
    link.socket.on('message', (data) => {
      const message = JSON.parse(textOf(data)) as Heard
      if (message.type !== 'transmit') return
      void card
        .transmit(readHex(message.data))
        .then((reply) => link.say({ type: 'reply', id: message.id, data: toHex(reply) }))
    })
  return { ...link, cplc, answers }
}

const register = (cplc: string, service: string | null = null) =>
  sql`insert into maple.element (cplc, service_id) values (${cplc}, ${service})`.execute(db)

test('a reader is paired with a code once, and listed with the card in it', async () => {
  const made = await ask('POST', '', { name: 'Desk' })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({ name: 'Desk', state: 'waiting', cplc: null })
  expect(made.body.code).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/)
  const code = made.body.code.toLowerCase()
  const claimed = await ask('POST', '/claim', { code }, {})
  expect(claimed).toMatchObject({ status: 200, body: { id: made.body.id, name: 'Desk' } })
  expect(await ask('POST', '/claim', { code }, {})).toMatchObject({
    status: 400,
    body: { code: 'wrong_pairing_code' },
  })
  expect(await list()).toMatchObject([{ state: 'away', isKnown: false }])
  const { cplc, socket } = await connected(claimed.body.key)
  expect(await list()).toMatchObject([
    {
      state: 'connected',
      atr: '3B00',
      isKnown: false,
      pcscName: 'Virtual PCD 00 00',
      host: 'desk.example',
      connectedAt: expect.any(String),
    },
  ])
  await register(cplc)
  expect(await list()).toMatchObject([{ isKnown: true }])
  socket.close()
  await vi.waitFor(async () =>
    expect(await list()).toMatchObject([{ state: 'away', cplc: null, connectedAt: null }]),
  )
  const stored = await sql<{
    text: string
  }>`select reader::text as text from maple.reader as reader`.execute(db)
  expect(stored.rows[0]?.text).not.toContain(claimed.body.key)
  const { rows } = await sql<{ action: string }>`
    select action from maple.event where subject = ${made.body.id} order by id`.execute(db)
  expect(rows.map(({ action }) => action)).toEqual(['reader.create', 'reader.connect'])
})

test('readers are found by the beginning of a name and by id, a page at a time', async () => {
  for (const name of ['Desk', 'desktop', 'Lab']) await ask('POST', '', { name })
  const found = async (query: string) =>
    (await ask('GET', query)).body as { items: Reader[]; next: string | null }
  const names = ({ items }: { items: Reader[] }) => items.map(({ name }) => name)
  expect(names(await found('?q=DESK'))).toEqual(['desktop', 'Desk'])
  const first = await found('?limit=2')
  expect(names(first)).toEqual(['Lab', 'desktop'])
  expect(names(await found(`?limit=2&cursor=${first.next}`))).toEqual(['Desk'])
  const id = first.items[0]?.id
  expect(names(await found(`?id=${id}`))).toEqual(['Lab'])
})

test('a code expires after ten minutes', async () => {
  const { body } = await ask('POST', '', { name: 'Desk' })
  await sql`update maple.reader set code_expires_at = now()`.execute(db)
  expect(await ask('POST', '/claim', { code: body.code }, {})).toMatchObject({ status: 400 })
})

/** Queries the sessions. */
const session = async (method: 'GET' | 'POST', path: string, payload?: object, as = headers) => {
  const response = await server.app.inject({
    method,
    url: `/api/maple/sessions/se${path}`,
    headers: as,
    ...(payload && { payload }),
  })
  return { status: response.statusCode, body: response.json() }
}

test('a card without a CPLC is identified by its numbers, and no other card passes for it', async () => {
  const { key } = await paired()
  const card = softwareCard({ seed: 'without', hasCplc: false })
  const { cplc, answers, say } = await connected(key, card)
  answers()
  expect(cplc).toMatch(/^(FF){9}01/)
  const other = hashIdentity('cardNumbers', '999901', '0000000000000001')
  const stateOf = async (id: string) => {
    await register(id)
    const { body } = await session('POST', '', { cplc: id })
    const ran = await session('POST', `/${body.id}/raw`, { command: '00A4040000' })
    await session('POST', `/${body.id}/end`)
    return ran.body.state
  }
  expect(await stateOf(cplc)).toBe('done')
  // A program that names another card than the one in the reader.
  say({ type: 'card', atr: '3B00', cplc: other })
  await vi.waitFor(async () => expect(await list()).toMatchObject([{ cplc: other }]))
  expect(await stateOf(other)).toBe('unknown')
})

test('a session runs over a reader, and its card is free afterwards', async () => {
  const { key } = await paired()
  const { cplc, answers, until, heard } = await connected(key)
  answers()
  await register(cplc)
  const opened = await session('POST', '', { cplc })
  expect(opened).toMatchObject({ status: 201, body: { transport: 'reader' } })
  const { id } = opened.body
  expect(await session('POST', '', { cplc })).toMatchObject({ body: { code: 'lease_held' } })
  // Nothing is sent to the card before the first command: one session has exclusive access.
  expect(heard.filter(({ type }) => type === 'transmit')).toHaveLength(0)
  const ran = await session('POST', `/${id}/raw`, { command: '00A4040000' })
  expect(ran.body).toMatchObject({ state: 'done', items: [{ statusWord: '9000' }] })
  await session('POST', `/${id}/raw`, { command: '80CA006600' })
  expect(heard.filter((each) => 'isFirst' in each && each.isFirst)).toHaveLength(1)
  await session('POST', `/${id}/end`)
  await until('end')
})

test('a command whose reader disconnects is unknown, and is not resent', async () => {
  const { key } = await paired()
  const { cplc, until, socket, say, heard } = await connected(key)
  await register(cplc)
  const { body } = await session('POST', '', { cplc })
  const sent = session('POST', `/${body.id}/raw`, { command: '00A4040000' })
  const { id } = await until('transmit')
  say({ type: 'reply', id, data: `9F7F2A${cplc}9000` })
  await vi.waitFor(() => expect(heard.filter(({ type }) => type === 'transmit')).toHaveLength(2))
  socket.terminate()
  expect((await sent).body).toMatchObject({ state: 'unknown' })
  expect((await session('GET', `/${body.id}/exchange`)).body).toMatchObject({
    items: [{ outcome: 'unknown' }],
  })
  expect((await session('GET', `/${body.id}`)).body).toMatchObject({
    state: 'failed',
    failure: { code: 'transport_failed' },
  })
  const again = await connected(key)
  expect(again.heard.filter(({ type }) => type === 'transmit')).toEqual([])
})

test(
  'a card that hangs for longer loses its reader and its session @long',
  { timeout: 20_000 },
  async () => {
    const { key } = await paired()
    const { cplc, closed, until } = await connected(key)
    await register(cplc)
    const { body } = await session('POST', '', { cplc })
    const sent = session('POST', `/${body.id}/raw`, { command: '00A4040000' })
    await until('transmit')
    // Without the setting the limit would be ten seconds.
    const late = setTimeout(8000, 'still there')
    expect(await Promise.race([closed, late])).toBeUndefined()
    expect((await sent).body).toMatchObject({ problem: { code: 'transport_failed' } })
  },
)

test('a reader with another card than announced gets no command', async () => {
  const { key } = await paired()
  const { cplc, until, say, heard } = await connected(key)
  await register(cplc)
  const { body } = await session('POST', '', { cplc })
  const sent = session('POST', `/${body.id}/raw`, { command: '80500000081122334455667788' })
  const { id, data } = await until('transmit')
  expect(data).toBe('80CA9F7F00')
  say({ type: 'reply', id, data: `9F7F2A4790${'00'.repeat(40)}9000` })
  await sent
  expect((await session('GET', `/${body.id}`)).body).toMatchObject({ state: 'failed' })
  expect(heard.filter(({ type }) => type === 'transmit')).toHaveLength(1)
})

test('a reader reaches only elements of its own service provider', async () => {
  await sql`insert into maple.service (id, name, name_key) values ('a', 'a', 'a'), ('b', 'b', 'b')`.execute(
    db,
  )
  const of = async (service: string) => {
    const id = randomUUID()
    await sql`insert into maple.account (id, roles, service_id) values (${id}, '{provider_admin}', ${service})`.execute(
      db,
    )
    return server.bearer(['DEVELOPER'], id)
  }
  const [a, b] = [await of('a'), await of('b')]
  const { id, key } = await paired(a)
  const { cplc } = await connected(key)
  await register(cplc, 'b')
  const opens = async (as = headers) =>
    (await session('POST', '', { cplc }, as)).body.code ?? 'opened'
  expect(await opens(b)).toBe('transport_missing')
  expect(await opens(a)).toBe('not_found')
  expect(await list(a)).toMatchObject([{ id, isKnown: false }])
  expect(await list(b)).toEqual([])
  expect(await ask('DELETE', `?id=${id}`, undefined, b)).toMatchObject({ status: 404 })
  await sql`update maple.element set service_id = 'a'`.execute(db)
  expect(await opens(b)).toBe('not_found')
  expect(await opens(a)).toBe('opened')
  expect(await list(a)).toMatchObject([{ id, isKnown: true }])
})

test('a reader that is removed loses its connection, and its key', async () => {
  const { id, key } = await paired()
  const { closed } = await connected(key)
  expect(await ask('DELETE', `?id=${id}`)).toMatchObject({ status: 204 })
  await closed
  expect(await program(key).refused).toBe(401)
  expect(await list()).toEqual([])
})

test.each([
  [
    'their account is closed',
    (maker: string) =>
      sql`insert into platform.person (id, is_closed) values (${maker}, true)`.execute(db),
  ],
  [
    'they leave the provider',
    (maker: string, provider: string) =>
      sql`select platform.revoke('member', ${`${maker} ${provider}`})`.execute(db),
  ],
  [
    'their Maple account is deleted',
    (maker: string) => sql`delete from maple.account where id = ${maker}`.execute(db),
  ],
])('readers end with the person who added them: %s', async (_, leave) => {
  const [makerId, otherId, provider] = [randomUUID(), randomUUID(), randomUUID()]
  await sql`
    insert into maple.service (id, name, name_key, provider_id)
    values ('desks', 'Desks', 'desks', ${provider})`.execute(db)
  for (const id of [makerId, otherId])
    await sql`
      insert into maple.account (id, roles, service_id) values (${id}, '{provider_admin}', 'desks')
    `.execute(db)
  const maker = await paired(await server.bearer(['DEVELOPER'], makerId))
  const other = await paired(await server.bearer(['DEVELOPER'], otherId))
  const link = await connected(maker.key, softwareCard({ seed: 'maker' }), maker.id)
  const stays = await connected(other.key, softwareCard({ seed: 'other' }), other.id)
  await leave(makerId, provider)
  await link.closed
  expect((await list()).map(({ id }) => id)).toEqual([other.id])
  expect(await program(maker.key).refused).toBe(401)
  expect(stays.socket.readyState).toBe(WebSocket.OPEN)
  await sql`delete from platform.person`.execute(db)
})

test('a reader waits while the Maple account of the person who added it has expired', async () => {
  const makerId = randomUUID()
  await sql`
    insert into maple.account (id, roles) values (${makerId}, '{provider_admin}')`.execute(db)
  const { id, key } = await paired(await server.bearer(['DEVELOPER'], makerId))
  const admins = await paired()
  await connected(admins.key, softwareCard({ seed: 'admin' }), admins.id)
  const end = (moment: string) =>
    sql`update maple.account set expires_at = ${moment}::timestamptz`.execute(db)
  await end('tomorrow')
  await connected(key, softwareCard({ seed: 'maker' }), id)
  await end('yesterday')
  const { rows } = await sql<{ processId: string }>`
    select process_id as "processId" from maple.reader where id = ${id}`.execute(db)
  const at = { ids: [id, admins.id], processId: rows[0]?.processId ?? '' }
  expect(await touchReaders(db, at)).toEqual([admins.id])
  expect(await program(key).refused).toBe(401)
  await end('tomorrow')
  expect((await touchReaders(db, at)).toSorted()).toEqual([id, admins.id].toSorted())
})

test('a program that stays away is forgotten', async () => {
  const { key } = await paired()
  const { say, closed } = await connected(key)
  say({ type: 'leave' })
  await closed
  expect(await list()).toEqual([])
})

test('a second connection of one reader ends the first', async () => {
  const { key } = await paired()
  const first = await connected(key)
  const second = await connected(key)
  await first.closed
  expect(second.socket.readyState).toBe(WebSocket.OPEN)
  expect(await list()).toMatchObject([{ state: 'connected' }])
})

test.each([
  ['a wrong key', 'A'.repeat(43), {}, 401],
  ['no key', '', {}, 401],
  ['the page of somebody', undefined, { origin: 'https://elsewhere.example' }, 403],
  ['the page of ours', undefined, { origin: 'http://127.0.0.1' }, 403],
  ['another name of the server', undefined, { host: 'elsewhere.example' }, 421],
])('%s opens no connection', async (_, wrong, more, status) => {
  const { key } = await paired()
  expect(await program(wrong ?? key, more).refused).toBe(status)
})

test.each<[string, (link: ReturnType<typeof program>) => void]>([
  ['text that is no message', ({ say }) => say('hello')],
  ['a message of another kind', ({ say }) => say({ type: 'transmit', id: 1 })],
  ['more fields than a message has', ({ say }) => say({ type: 'leave', now: true })],
  ['bytes', ({ socket }) => socket.send(Buffer.of(1, 2, 3))],
  ['a huge message', ({ say }) => say('x'.repeat(200_000))],
  ['a reply that nobody asked for', ({ say }) => say({ type: 'reply', id: 7, data: '9000' })],
  ['a CPLC that is none', ({ say }) => say({ type: 'card', atr: '3B00', cplc: '47' })],
  [
    'the name of a machine that is none',
    ({ say }) => say({ type: 'hello', version: 1, reader: 'a', host: 7 }),
  ],
  ['a second hello', ({ say }) => say({ type: 'hello', version: 1, reader: 'again' })],
  [
    'a flood',
    ({ say }) => Array.from({ length: 100 }, () => say({ type: 'card', atr: null, cplc: null })),
  ],
])('%s ends the connection', async (_, misbehave) => {
  const { key } = await paired()
  const link = await connected(key)
  misbehave(link)
  await link.closed
  await vi.waitFor(async () => expect(await list()).toMatchObject([{ state: 'away' }]))
})

test('a program that stays silent, does not answer pings or is too slow is dropped', async () => {
  const limits = { helloMs: 50, pingMs: 1e6, replyMs: 1e6, messagesAMinute: 60 }
  const reasons: string[] = []
  const { WebSocketServer } = await import('ws')
  const quick = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(quick, 'listening')
  const events = { onHello: async () => {}, onCard: async () => {}, onLeave: async () => {} }
  const meet = async (changed: Partial<typeof limits>, autoPong = true) => {
    const arrived = once(quick, 'connection') as Promise<[WebSocket]>
    const port = (quick.address() as AddressInfo).port
    sockets.push(new WebSocket(`ws://127.0.0.1:${port}`, { autoPong }))
    const [socket] = await arrived
    const ended = new Promise<void>((resolve) => {
      const onEnd = (reason: string) => {
        reasons.push(reason)
        resolve()
      }
      const reader = readerConnection(socket, { ...events, onEnd }, { ...limits, ...changed })
      reader.transmit('session', true, Uint8Array.of(0)).catch(() => {})
    })
    await ended
  }
  await meet({})
  await meet({ helloMs: 1e6, pingMs: 50 }, false)
  await meet({ helloMs: 1e6, replyMs: 50 })
  expect(reasons).toEqual([
    'it did not say who it is',
    'it is silent',
    'it took too long for a command',
  ])
  quick.close()
})

test('an element in a reader of an ended process is unreachable', async () => {
  const { key } = await paired()
  const { cplc } = await connected(key)
  await register(cplc)
  await sql`update maple.reader set process_id = ${randomUUID()}`.execute(db)
  expect((await session('POST', '', { cplc })).body).toMatchObject({ code: 'transport_missing' })
})

test('the time limit for a card is set in seconds', () => {
  const config = { dataFolder: '' }
  expect(readSettings({}, config).cardReplyMs).toBe(10_000)
  expect(readSettings({ GROVE_CARD_SECONDS: '45' }, config).cardReplyMs).toBe(45_000)
  expect(() => readSettings({ GROVE_CARD_SECONDS: '0' }, config)).toThrow(
    'GROVE_CARD_SECONDS is "0"',
  )
})

// The embedded database has one process at a time, and considers all others ended.
test.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')(
  'any process opens a session, which runs where the reader is connected',
  async () => {
    const { database, platform } = server
    const elsewhere = await startTestServer([maple], {
      database,
      db: platform.db,
      config: platform.config,
    })
    const { sessions: own } = await maple.open(platform)
    const { sessions: other } = await maple.open(elsewhere.platform)
    // Nothing polls: changes are reported.
    own.settings.slowPollMs = other.settings.slowPollMs = 1e9
    await vi.waitFor(() => expect(database.notices.isLive()).toBe(true))
    const ask = async (path: string, payload?: object) =>
      (
        await elsewhere.app.inject({
          method: 'POST',
          url: `/api/maple/sessions/se${path}`,
          headers,
          ...(payload && { payload }),
        })
      ).json()
    const { key } = await paired()
    const { cplc, answers, until } = await connected(key, softwareCard({ seed: 'any process' }))
    answers()
    await register(cplc)
    const { id, ...opened } = await ask('', { cplc })
    expect(opened).toMatchObject({ transport: 'reader', state: 'active', rights: { run: null } })
    expect([own.live.has(id), other.live.has(id)]).toEqual([true, false])
    expect(await ask(`/${id}/raw`, { command: '00A4040000' })).toMatchObject({
      state: 'done',
      items: [{ statusWord: '9000' }],
    })
    // Another session needs the element, so the card is released.
    const next = await ask('', { cplc, takeOver: true })
    await until('end')
    expect(own.live.has(id)).toBe(false)
    expect(await ask(`/${next.id}/end`)).toMatchObject({ state: 'closed', endReason: 'ended' })
    own.settings.slowPollMs = 2000
    await elsewhere.close()
  },
)
