import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CardReading } from '@grove/contract/maple/card/element-card'
import { sql } from 'kysely'
import { startSessionServer } from '../session/testing/session-server.ts'

type Server = Awaited<ReturnType<typeof startSessionServer>>
interface Problem {
  code: string
  detail: string
  errors?: { params?: { session?: string } }[]
}

let server: Server
beforeAll(async () => {
  server = await startSessionServer()
})
afterAll(() => server.close())

async function card(
  { app, admin }: Server,
  action: 'read' | 'lock',
  payload: object,
  headers: { authorization: string } = admin,
) {
  const response = await app.inject({
    method: 'POST',
    url: `/api/maple/se/card/${action}`,
    headers,
    payload,
  })
  return { status: response.statusCode, body: response.json<CardReading & Problem>() }
}

/** Replaces the card without the platform noticing. */
const rewrite = ({ db }: Server, cplc: string, from: string, to: string) =>
  sql`update maple.software_card set version = version + 1,
    state = replace(state::text, ${from}, ${to})::jsonb where cplc = ${cplc}`.execute(db)

const stateOf = async ({ db }: Server, cplc: string) => {
  const { rows } = await sql<{ state: string }>`
    select state from maple.element where cplc = ${cplc}`.execute(db)
  return rows[0]?.state
}

test('a card is read, and its facts are stored next to the records', async () => {
  const cplc = await server.card()
  const { status, body } = await card(server, 'read', { cplc })
  expect([status, body.detail]).toEqual([200, undefined])
  expect(body.cardCplc).toBe(cplc)
  expect(body.state).toEqual({ before: 'unknown', after: 'opReady' })
  expect(body.domains.items).toMatchObject([{ aid: 'A000000151000000', parent: null }])
  expect(body.domains.difference.added).toHaveLength(1)
  expect(body.keyVersions).toEqual([0x30])
  expect(await stateOf(server, cplc)).toBe('opReady')
  const again = await card(server, 'read', { cplc })
  expect(again.body.state).toEqual({ before: 'opReady', after: 'opReady' })
  expect(again.body.domains.difference).toEqual({
    added: [],
    changed: [],
    removed: [],
    refusals: [],
  })
})

test('a card without a CPLC is identified by its own id', async () => {
  const cplc = await server.card({ hasCplc: false })
  const { status, body } = await card(server, 'read', { cplc })
  expect([status, body.cardCplc]).toEqual([200, cplc])
  // The CPLC of another card.
  await rewrite(server, cplc, '"45": "', '"45": "00')
  const other = await card(server, 'read', { cplc })
  expect([other.status, other.body.code]).toEqual([409, 'card_failed'])
})

test('a card that is not SECURED cannot be locked', async () => {
  const cplc = await server.card()
  const { status, body } = await card(server, 'lock', { cplc, locked: true })
  expect([status, body.code]).toEqual([409, 'transition_refused'])
  expect(body.detail).toContain('opReady')
})

test('a card is locked and unlocked', async () => {
  const cplc = await server.card()
  await rewrite(server, cplc, '"lifeCycle": 1,', '"lifeCycle": 15,')
  const locked = await card(server, 'lock', { cplc, locked: true })
  expect([locked.status, locked.body.state]).toEqual([
    200,
    { before: 'unknown', after: 'cardLocked' },
  ])
  expect(await stateOf(server, cplc)).toBe('cardLocked')
  const unlocked = await card(server, 'lock', { cplc, locked: false })
  expect(unlocked.body.state).toEqual({ before: 'cardLocked', after: 'secured' })
})

test('wrong keys are tried once, and the element is blocked', async () => {
  const cplc = await server.card()
  await rewrite(server, cplc, '4041424344454647', '5051525354555657')
  const first = await card(server, 'read', { cplc })
  expect([first.status, first.body.code]).toEqual([409, 'card_failed'])
  expect(first.body.errors?.[0]?.params?.session).toMatch(/^[\da-f-]{36}$/)
  expect(await stateOf(server, cplc)).toBe('blocked')
  const second = await card(server, 'read', { cplc })
  expect([second.status, second.body.code]).toEqual([409, 'element_blocked'])
})

test('facts from another element’s card are not stored', async () => {
  const cplc = await server.card()
  await rewrite(server, cplc, cplc, `${cplc.slice(0, -2)}AA`)
  const { status, body } = await card(server, 'read', { cplc })
  expect([status, body.code]).toEqual([409, 'card_failed'])
  expect(body.detail).toContain('another element')
  expect(await stateOf(server, cplc)).toBe('unknown')
})

test('someone without the right learns nothing', async () => {
  const cplc = await server.card()
  const developer = await server.bearer(['DEVELOPER'])
  const { status } = await card(server, 'read', { cplc }, developer)
  expect(status).toBe(403)
  expect(await stateOf(server, cplc)).toBe('unknown')
})
