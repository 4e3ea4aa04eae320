import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval } from '@grove/contract/maple/access/approval'
import type { Rollout } from '@grove/contract/maple/rollout/rollout'
import { createAppletClient } from '../card/applet/testing/applet-client.ts'
import { startSessionServer, type SessionServer } from '../card/session/testing/session-server.ts'
import {
  createRolloutClient,
  groupOf,
  planWith,
  type RolloutClient,
} from './testing/rollout-client.ts'

let server: SessionServer
let rollouts: RolloutClient
let appletId = ''
beforeAll(async () => {
  server = await startSessionServer()
  rollouts = createRolloutClient(server, server.admin)
  appletId = (await createAppletClient(server, server.admin).uploaded()).id
})
afterAll(() => server.close())

interface Card {
  cplc: string
  deviceId: string
}

const refusing = (statusWord: number) => ({ wrongStatusWord: { ins: 0xe6, statusWord } })

/** Software cards in devices that one filter finds; some refuse the program. */
async function fleet(statusWords: readonly (number | null)[], service: string | null = null) {
  const tag = `r${randomUUID().slice(0, 8)}`
  const cards: Card[] = []
  for (const statusWord of statusWords) {
    const cplc = await server.card({}, service)
    const { rows } = await sql<{ id: string }>`
      update maple.device set tags = array[${tag}]
      where id = (select device_id from maple.element where cplc = ${cplc}) returning id`.execute(
      server.db,
    )
    cards.push({ cplc, deviceId: rows[0]?.id ?? '' })
    if (statusWord !== null) await server.breakCard(cplc, refusing(statusWord))
  }
  return { tag, cards }
}
const mend = async (cards: readonly Card[]) => {
  for (const { cplc } of cards) await server.breakCard(cplc, {})
}

/** It accepts every failure, so that it finishes. */
const lax = planWith({ groups: [groupOf({ success: 0, errorShare: 100 })] })
const given = (name: string, tag: string, id = appletId) => ({
  name,
  program: { kind: 'applet' as const, id, input: { action: 'install' } },
  targets: { filter: { tag } },
  plan: lax,
})

async function finished(name: string, statusWords: readonly (number | null)[]) {
  const made = await fleet(statusWords)
  const { id } = await rollouts.started(given(name, made.tag))
  await rollouts.until(id, 'finished')
  return { id, ...made }
}

const devicesOf = async (id: string, query = '') =>
  (await rollouts.executions(id, query)).map(({ deviceId }) => deviceId)

async function sessionsOf(cplc: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from maple.session where cplc = ${cplc}`.execute(server.db)
  return rows[0]?.count ?? 0
}

test('failed devices are retried by a separate draft: those with one cause, then all remaining ones @long', async () => {
  const { id, cards } = await finished('Fleet', [null, 0x6a84, 0x6a84, 0x6f00])
  const [fine, ...broken] = cards
  const before = await rollouts.read(id)
  expect(before.rights).toMatchObject({ retry: null, delete: null })
  await mend(broken)

  const cause = 'card_refused load 6A84'
  const first = await rollouts.control(id, 'retry', { state: 'failed', cause })
  expect(first).toMatchObject({
    name: '↻ Fleet',
    state: 'draft',
    program: before.program,
    rollsBack: null,
    retries: { id, name: 'Fleet', state: 'failed', cause, count: 2 },
    plan: { groups: [{ by: 'rest' }], canaries: [] },
  })
  // Its devices are read when it starts, so the first one is kept until then.
  expect((await rollouts.read(id)).rights.delete).toBe('transition_refused')
  expect((await rollouts.send('DELETE', `?id=${id}`)).body.code).toBe('transition_refused')
  await rollouts.control(first.id, 'start')
  expect((await rollouts.until(first.id, 'finished')).groups).toMatchObject([
    { total: 2, succeeded: 2 },
  ])
  expect(new Set(await devicesOf(first.id))).toEqual(
    new Set([cards[1]?.deviceId, cards[2]?.deviceId]),
  )

  // All that failed: those that have it by now are left out.
  const second = await rollouts.control(id, 'retry', {})
  expect(second).toMatchObject({
    name: '↻2 Fleet',
    retries: { id, state: null, cause: null, count: 3 },
  })
  await rollouts.control(second.id, 'start')
  await rollouts.until(second.id, 'finished')
  expect(await devicesOf(second.id)).toEqual([cards[3]?.deviceId])

  // The first attempt stays as it was, and each device was tried as often as it had to be.
  expect((await rollouts.read(id)).groups).toEqual(before.groups)
  expect(await sessionsOf(fine?.cplc ?? '')).toBe(1)
  for (const { cplc } of broken) expect(await sessionsOf(cplc)).toBe(2)
  const listed = await rollouts.send<{ items: Rollout[] }>('GET', `?retries=${id}`)
  expect(listed.body.items.map((each) => each.id)).toEqual([second.id, first.id])
  expect((await rollouts.send('DELETE', `?id=${id}`)).status).toBe(204)
  expect((await rollouts.read(second.id)).retries).toMatchObject({ id, name: null })
})

test('a retry of a retry leaves out devices that another one of the chain has reached', async () => {
  const { id, cards } = await finished('Chain', [0x6a84, 0x6a84])
  // A card refuses once.
  const breakAll = async () => {
    for (const { cplc } of cards) await server.breakCard(cplc, refusing(0x6a84))
  }
  await breakAll()
  const first = await rollouts.control(id, 'retry', {})
  await rollouts.control(first.id, 'start')
  expect((await rollouts.until(first.id, 'finished')).groups).toMatchObject([{ failed: 2 }])
  const [one] = cards
  await breakAll()
  await server.breakCard(one?.cplc ?? '', {})
  const again = await rollouts.control(id, 'retry', {})
  await rollouts.control(again.id, 'start')
  expect((await rollouts.until(again.id, 'finished')).groups).toMatchObject([
    { succeeded: 1, failed: 1 },
  ])
  await mend(cards)
  const last = await rollouts.control(first.id, 'retry', {})
  expect(last).toMatchObject({ name: '↻3 Chain', retries: { id: first.id, count: 2 } })
  await rollouts.control(last.id, 'start')
  await rollouts.until(last.id, 'finished')
  expect(await devicesOf(last.id)).toEqual([cards[1]?.deviceId])
})

test('two retries that start at once share the devices: none is in both', async () => {
  const { id, cards } = await finished('Twice', [0x6a84, 0x6a84, 0x6a84, 0x6a84])
  await mend(cards)
  const drafts = [await rollouts.control(id, 'retry', {}), await rollouts.control(id, 'retry', {})]
  await Promise.all(drafts.map((draft) => rollouts.control(draft.id, 'start')))
  for (const draft of drafts) await rollouts.until(draft.id, 'finished')
  const reached = (await Promise.all(drafts.map((draft) => devicesOf(draft.id)))).flat()
  expect(reached.toSorted()).toEqual(cards.map(({ deviceId }) => deviceId).toSorted())
})

test('of a device with several elements, those that have the program get nothing again', async () => {
  const { tag, cards } = await fleet([null, 0x6a84])
  // The element that comes first succeeds.
  const [done, failing] = cards.toSorted((a, b) => (a.cplc < b.cplc ? -1 : 1))
  for (const card of cards) await server.breakCard(card.cplc, card === done ? {} : refusing(0x6a84))
  await sql`
    update maple.element set device_id = ${done?.deviceId} where cplc = ${failing?.cplc}`.execute(
    server.db,
  )
  const { id } = await rollouts.started({
    ...given('Several', tag),
    targets: { devices: [done?.deviceId ?? ''] },
  })
  expect((await rollouts.until(id, 'finished')).groups).toMatchObject([{ failed: 1 }])
  await server.breakCard(failing?.cplc ?? '', {})
  const retry = await rollouts.control(id, 'retry', {})
  await rollouts.control(retry.id, 'start')
  expect((await rollouts.until(retry.id, 'finished')).groups).toMatchObject([{ succeeded: 1 }])
  expect([await sessionsOf(done?.cplc ?? ''), await sessionsOf(failing?.cplc ?? '')]).toEqual([
    1, 2,
  ])
})

test('a retry is refused while the rollout runs, without failures, and for an unknown cause', async () => {
  const { tag } = await fleet([null])
  const draft = await rollouts.create(given('Fine', tag))
  const early = await rollouts.send('POST', `/${draft.id}/retry`, {})
  expect([early.status, early.body.code]).toEqual([409, 'transition_refused'])
  await rollouts.control(draft.id, 'start')
  expect((await rollouts.until(draft.id, 'finished')).rights.retry).toBe('transition_refused')
  const { id } = await finished('Causes', [0x6a84])
  for (const [body, path] of [
    [{ cause: 'unknown' }, 'cause'],
    [{ state: 'timed_out' }, 'state'],
    [{ state: 'skipped' }, 'state'],
  ] as const) {
    const wrong = await rollouts.send('POST', `/${id}/retry`, body)
    expect([wrong.status, wrong.body.errors?.[0]?.path]).toEqual([400, path])
  }
})

test('a draft of a retry may use another program of the kind, but no other devices', async () => {
  const { id, cards } = await finished('Mended', [0x6a84, null])
  await mend(cards)
  const { id: draft } = await rollouts.control(id, 'retry', {})
  const put = (body: object) => rollouts.send<Rollout>('PUT', `?id=${draft}`, body)
  const program = { kind: 'applet', id: appletId, input: { action: 'upgrade' } }
  const changed = await put({ name: 'Mended now', program, targets: { filter: {} } })
  expect(changed.body).toMatchObject({
    name: 'Mended now',
    program: { input: { action: 'upgrade' } },
    targets: {},
    retries: { id, count: 1 },
  })
  const other = await put({ program: { ...program, kind: 'image', input: {} } })
  expect([other.status, other.body.errors?.[0]?.path]).toEqual([400, 'program.kind'])
  await put({ program: { ...program, input: { action: 'install' } } })
  await rollouts.control(draft, 'start')
  expect((await rollouts.until(draft, 'finished')).groups).toMatchObject([{ total: 1 }])
})

test('if the policy requires it, a second person approves a retry like any rollout', async () => {
  const { tag, cards } = await fleet([0x6a84], 'strict')
  const officer = await server.member('strict', ['security_officer', 'developer'])
  const second = await server.member('strict')
  const own = createRolloutClient(server, officer)
  const { id: strictApplet } = await createAppletClient(
    server,
    await server.member('strict', ['developer']),
  ).uploaded()
  const { id } = await own.started(given('Strict', tag, strictApplet))
  await own.until(id, 'finished')
  await own.send('PUT', '/policy', { needsApproval: true })
  await mend(cards)
  const draft = await own.control(id, 'retry', {})
  const asked = await own.control(draft.id, 'start')
  expect(asked.state).toBe('waiting_for_approval')
  expect(await own.executions(draft.id)).toEqual([])
  const decided = await server.app.inject({
    method: 'PUT',
    url: `/api/maple/approvals?id=${asked.approvalId}`,
    headers: second,
    payload: { isApproved: true },
  })
  expect(decided.json<Approval>().state).toBe('approved')
  expect((await own.until(draft.id, 'finished')).groups).toMatchObject([{ succeeded: 1 }])
})

test('a stopped rollout is retried where it failed, not where it was cancelled', async () => {
  const { tag, cards } = await fleet([0x6a84, null])
  const [broken] = cards
  const { id } = await rollouts.started({
    ...given('Stopped', tag),
    plan: planWith({ atOnce: 1, groups: [groupOf({ mostErrors: 1, success: 0 })] }),
  })
  await rollouts.until(id, 'paused')
  await rollouts.control(id, 'stop')
  await rollouts.until(id, 'stopped')
  await mend(cards)
  const retry = await rollouts.control(id, 'retry', {})
  await rollouts.control(retry.id, 'start')
  await rollouts.until(retry.id, 'finished')
  expect(await devicesOf(retry.id)).toEqual([broken?.deviceId])
})
