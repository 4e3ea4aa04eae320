import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Approval } from '@grove/contract/maple/access/approval'
import type { ElementSession } from '@grove/contract/maple/card/session'
import type { Rollout } from '@grove/contract/maple/rollout/rollout'
import type { CardState } from '@grove/secure-element/card/card-state'
import { everything } from '../../../core/scope.ts'
import { createAppletClient, type AppletClient } from '../card/applet/testing/applet-client.ts'
import { startSessionServer, type SessionServer } from '../card/session/testing/session-server.ts'
import { joinLate } from './find-devices.ts'
import { findRollout } from './rollout.queries.ts'
import {
  createRolloutClient,
  groupOf,
  planWith,
  type RolloutClient,
} from './testing/rollout-client.ts'

let server: SessionServer
let applets: AppletClient
let rollouts: RolloutClient
beforeAll(async () => {
  server = await startSessionServer()
  applets = createAppletClient(server, server.admin)
  rollouts = createRolloutClient(server, server.admin)
})
afterAll(() => server.close())

/** Software cards in devices that one filter finds. */
async function fleet(size: number, service: string | null = null) {
  const tag = `f${randomUUID().slice(0, 8)}`
  const cards: { cplc: string; deviceId: string }[] = []
  for (let count = 0; count < size; count++) cards.push(await addCard(tag, service))
  return { tag, cards }
}

async function addCard(tag: string, service: string | null = null) {
  const cplc = await server.card({}, service)
  const { rows } = await sql<{ id: string }>`
    update maple.device set tags = array[${tag}]
    where id = (select device_id from maple.element where cplc = ${cplc}) returning id`.execute(
    server.db,
  )
  return { cplc, deviceId: rows[0]?.id ?? '' }
}

let applet: string
const appletId = async () => (applet ??= (await applets.uploaded()).id)
const program = async (input: object = { action: 'install' }) => ({
  kind: 'applet' as const,
  id: await appletId(),
  input: { ...input },
})

async function cardOf(cplc: string) {
  const { rows } = await sql<{ state: CardState }>`
    select state from maple.software_card where cplc = ${cplc}`.execute(server.db)
  return rows[0]?.state ?? expect.fail('no card')
}
const hasApplet = async (cplc: string) =>
  (await cardOf(cplc)).applications.some(({ aid }) => aid.startsWith('D276'))

const countsOf = ({ groups }: Rollout) =>
  groups.map(({ total, succeeded, failed, timedOut, skipped, cancelled, queued, running }) => ({
    total,
    succeeded,
    failed,
    ...(timedOut > 0 && { timedOut }),
    ...(skipped > 0 && { skipped }),
    ...(cancelled > 0 && { cancelled }),
    ...(queued > 0 && { queued }),
    ...(running > 0 && { running }),
  }))

const wrongInstall = { wrongStatusWord: { ins: 0xe6, statusWord: 0x6a84 } }

test('an applet reaches a fleet: software cards first, then one group after the other', async () => {
  const { tag, cards } = await fleet(8)
  const canary = await server.card()
  const { id } = await rollouts.started({
    name: 'NDEF for all',
    program: await program(),
    targets: { filter: { tag } },
    plan: planWith({
      canaries: [canary],
      groups: [
        groupOf({ by: 'share', amount: 25 }),
        groupOf({ by: 'count', amount: 3 }),
        groupOf(),
      ],
    }),
  })
  const finished = await rollouts.until(id, 'finished')
  expect(countsOf(finished)).toEqual(
    [1, 2, 3, 3].map((total) => ({ total, succeeded: total, failed: 0 })),
  )
  expect(finished.groups.map(({ isCanary, state }) => [isCanary, state])).toEqual([
    [true, 'finished'],
    [false, 'finished'],
    [false, 'finished'],
    [false, 'finished'],
  ])
  for (const { cplc } of [...cards, { cplc: canary }]) expect(await hasApplet(cplc)).toBe(true)
  // One session each, and no group started before the previous one had ended.
  const executions = await rollouts.executions(id)
  expect(new Set(executions.map(({ sessionId }) => sessionId)).size).toBe(9)
  const starts = executions.toSorted((a, b) => ((a.startedAt ?? '') < (b.startedAt ?? '') ? -1 : 1))
  expect(starts.map(({ group }) => group)).toEqual([0, 1, 1, 2, 2, 2, 3, 3, 3])
  const { rows } = await sql<{ action: string }>`
    select action from maple.event where subject = ${id} order by id`.execute(server.db)
  expect(rows.map(({ action }) => action)).toEqual([
    'rollout.create',
    'rollout.start',
    'rollout.finish',
  ])
})

test('a fault in a group pauses it; corrected and retried it finishes', async () => {
  const { tag, cards } = await fleet(6)
  for (const { cplc } of cards) await server.breakCard(cplc, wrongInstall)
  const { id } = await rollouts.started({
    name: 'Faulty',
    program: await program(),
    targets: { filter: { tag } },
    plan: planWith({
      atOnce: 1,
      groups: [groupOf({ by: 'count', amount: 3, errorShare: 0, errorMinimum: 2 }), groupOf()],
    }),
  })
  const paused = await rollouts.until(id, 'paused')
  expect(paused).toMatchObject({ pauseReason: 'errors', rights: { next: 'transition_refused' } })
  expect(countsOf(paused)).toEqual([
    { total: 3, succeeded: 0, failed: 2, queued: 1 },
    { total: 3, succeeded: 0, failed: 0, queued: 3 },
  ])
  const [cause, ...others] = await rollouts.causes(id)
  expect([cause, others]).toEqual([
    { cause: 'card_refused load 6A84', state: 'failed', count: 2, groups: [1] },
    [],
  ])
  // From the cause to its devices, and from each to its session.
  const failed = await rollouts.executions(
    id,
    `&state=failed&cause=${encodeURIComponent(cause?.cause ?? '')}`,
  )
  expect(failed.length).toBe(2)
  const session = await server.ask<ElementSession>('GET', `/${failed[0]?.sessionId}`)
  expect(session.body).toMatchObject({ purpose: 'applet', failed: 1 })

  const unsaid = await rollouts.send('POST', `/${id}/resume`, {})
  expect([unsaid.status, unsaid.body.errors?.[0]?.path]).toEqual([400, 'choice'])
  for (const { cplc } of cards) await server.breakCard(cplc, {})
  await rollouts.control(id, 'resume', { choice: 'retry' })
  const finished = await rollouts.until(id, 'finished')
  expect(countsOf(finished)).toEqual([
    { total: 3, succeeded: 3, failed: 0 },
    { total: 3, succeeded: 3, failed: 0 },
  ])
  expect(await rollouts.causes(id)).toEqual([])
  const attempts = (await rollouts.executions(id)).map((each) => each.attempts)
  expect(attempts.toSorted((a, b) => a - b)).toEqual([1, 1, 1, 1, 2, 2])
})

test('after a fault, next accepts the failures of the group, and skip leaves out its other devices @long', async () => {
  const results: Record<string, unknown> = {}
  for (const choice of ['next', 'skip'] as const) {
    const { tag, cards } = await fleet(4)
    const { id } = await rollouts.create({
      name: choice,
      program: await program(),
      targets: { filter: { tag } },
      plan: planWith({
        atOnce: 1,
        groups: [groupOf({ by: 'count', amount: 2, mostErrors: 1, errorMinimum: 9 }), groupOf()],
      }),
    })
    for (const { cplc } of cards) await server.breakCard(cplc, wrongInstall)
    await rollouts.control(id, 'start')
    await rollouts.until(id, 'paused')
    for (const { cplc } of cards) await server.breakCard(cplc, {})
    await rollouts.control(id, 'resume', { choice })
    const { groups, ...finished } = await rollouts.until(id, 'finished')
    results[choice] = [groups.map(({ state }) => state), countsOf({ ...finished, groups })]
  }
  const second = { total: 2, succeeded: 2, failed: 0 }
  expect(results).toEqual({
    next: [
      ['finished', 'finished'],
      [{ total: 2, succeeded: 1, failed: 1 }, second],
    ],
    skip: [
      ['skipped', 'finished'],
      [{ total: 2, succeeded: 0, failed: 1, skipped: 1 }, second],
    ],
  })
})

test('a person pauses, resumes, starts the next group manually, and stops @long', async () => {
  const { tag, cards } = await fleet(6)
  for (const { cplc } of cards) await server.breakCard(cplc, { delay: 30 })
  const { id } = await rollouts.started({
    name: 'By hand',
    program: await program(),
    targets: { filter: { tag } },
    plan: planWith({
      atOnce: 1,
      groups: [
        groupOf({ by: 'count', amount: 1, pausesAfter: true }),
        groupOf({ by: 'count', amount: 1 }),
        groupOf(),
      ],
    }),
  })
  const waiting = await rollouts.until(id, 'paused')
  expect(waiting).toMatchObject({ pauseReason: 'next_group', rights: { next: null } })
  await rollouts.control(id, 'next')
  await vi.waitFor(async () => expect((await rollouts.read(id)).groups[2]?.running).toBe(1), {
    timeout: 30_000,
    interval: 10,
  })
  const paused = await rollouts.control(id, 'pause')
  expect([paused.state, paused.pauseReason]).toEqual(['paused', 'person'])
  await vi.waitFor(
    async () => expect((await rollouts.read(id)).groups[2]).toMatchObject({ running: 0 }),
    { timeout: 30_000, interval: 20 },
  )
  const { groups } = await rollouts.read(id)
  expect(groups[2]?.queued).toBe(3)
  await rollouts.control(id, 'resume', {})
  await vi.waitFor(async () => expect((await rollouts.read(id)).groups[2]?.running).toBe(1), {
    timeout: 30_000,
    interval: 10,
  })
  await rollouts.control(id, 'stop')
  const stopped = await rollouts.until(id, 'stopped')
  const [last] = countsOf(stopped).slice(-1)
  expect(last).toEqual({ total: 4, succeeded: 2, failed: 0, cancelled: 2 })
  const again = await rollouts.send('POST', `/${id}/resume`, {})
  expect([again.status, again.body.code]).toEqual([409, 'transition_refused'])
})

test('a rollout is rolled back where it succeeded, by a rollout of its own @long', async () => {
  const { tag, cards } = await fleet(3)
  const [broken] = cards
  await server.breakCard(broken?.cplc ?? '', wrongInstall)
  const { id } = await rollouts.started({
    name: 'Back',
    program: await program(),
    targets: { filter: { tag } },
    plan: planWith({ groups: [groupOf({ success: 0, errorShare: 100 })] }),
  })
  await rollouts.until(id, 'finished')
  const back = await rollouts.control(id, 'rollback')
  expect(back).toMatchObject({
    state: 'draft',
    rollsBack: id,
    program: { input: { action: 'uninstall' } },
  })
  await rollouts.control(back.id, 'start')
  const finished = await rollouts.until(back.id, 'finished')
  expect(countsOf(finished)).toEqual([{ total: 2, succeeded: 2, failed: 0 }])
  for (const { cplc } of cards) expect(await hasApplet(cplc)).toBe(false)
  const none = await rollouts.send('POST', `/${back.id}/rollback`)
  expect([none.status, none.body.code]).toEqual([409, 'no_way_back'])
})

test('if the policy requires it, a second person approves, and a refusal turns it back into a draft', async () => {
  const { tag } = await fleet(1, 'careful')
  const officer = await server.member('careful', ['security_officer', 'developer'])
  const second = await server.member('careful')
  const own = createRolloutClient(server, officer)
  const applet = await createAppletClient(
    server,
    await server.member('careful', ['developer']),
  ).uploaded()
  expect((await own.send('PUT', '/policy', { needsApproval: true })).body).toEqual({
    needsApproval: true,
    rights: { change: null },
  })
  const developer = createRolloutClient(server, await server.member('careful', ['developer']))
  expect((await developer.send('GET', '/policy')).body).toEqual({
    needsApproval: true,
    rights: { change: 'forbidden' },
  })
  expect((await developer.send('PUT', '/policy', { needsApproval: false })).status).toBe(403)
  const { id } = await own.create({
    name: 'Careful',
    program: { kind: 'applet', id: applet.id, input: { action: 'install' } },
    targets: { filter: { tag } },
    plan: planWith(),
  })
  const decide = async (approvalId: string | null, isApproved: boolean, headers = second) => {
    const answer = await server.app.inject({
      method: 'PUT',
      url: `/api/maple/approvals?id=${approvalId}`,
      headers,
      payload: { isApproved },
    })
    return answer.json<Approval & { code: string }>()
  }
  const asked = await own.control(id, 'start')
  expect(asked.state).toBe('waiting_for_approval')
  expect(await decide(asked.approvalId, true, officer)).toMatchObject({ code: 'own_request' })
  expect(await decide(asked.approvalId, false)).toMatchObject({ state: 'refused', subject: id })
  expect((await own.read(id)).state).toBe('draft')
  const again = await own.control(id, 'start')
  expect(again.approvalId).not.toBe(asked.approvalId)
  await decide(again.approvalId, true)
  expect(countsOf(await own.until(id, 'finished'))).toEqual([{ total: 1, succeeded: 1, failed: 0 }])
})

test('devices that the filter finds later join the last group until its deadline', async () => {
  const { tag } = await fleet(1)
  const joinUntil = new Date(Date.now() + 3_600_000).toISOString()
  const { id } = await rollouts.started({
    name: 'Open',
    program: await program(),
    targets: { filter: { tag }, joinUntil },
    plan: planWith(),
  })
  await vi.waitFor(async () => expect((await rollouts.read(id)).groups[0]?.succeeded).toBe(1), {
    timeout: 30_000,
    interval: 50,
  })
  const late = await addCard(tag)
  await sql`update maple.rollout set joined_at = null where id = ${id}`.execute(server.db)
  const stored = (await findRollout(server.context.db, id, everything)) ?? expect.fail('no rollout')
  await joinLate(server.context, stored, new AbortController().signal)
  // As the job does at its next run.
  await rollouts.control(id, 'pause')
  await rollouts.control(id, 'resume', {})
  await vi.waitFor(
    async () =>
      expect((await rollouts.read(id)).groups[0]).toMatchObject({ total: 2, succeeded: 2 }),
    { timeout: 30_000, interval: 50 },
  )
  expect(await hasApplet(late.cplc)).toBe(true)
  // A concurrent run would finish it.
  await rollouts.control(id, 'pause')
  await sql`update maple.rollout
    set targets = jsonb_set(targets, '{joinUntil}', '"2026-01-01T00:00:00Z"') where id = ${id}`.execute(
    server.db,
  )
  await rollouts.control(id, 'resume', {})
  expect((await rollouts.until(id, 'finished')).groups[0]?.total).toBe(2)
})

test('a device starts only in the hours of its own time zone, and a limited number per minute @long', async () => {
  const { tag, cards } = await fleet(4)
  const now = new Date()
  // A zone whose clock is half a day ahead of UTC.
  const at = (hours: number) =>
    new Date(now.getTime() + hours * 3_600_000).toISOString().slice(11, 16)
  const [own] = cards
  await sql`update maple.device set attributes = ${JSON.stringify({ timezone: { type: 'text', value: 'Etc/GMT-12' } })}::jsonb
    where id = ${own?.deviceId}`.execute(server.db)
  const { id } = await rollouts.started({
    name: 'Night',
    program: await program(),
    targets: { filter: { tag } },
    plan: planWith({
      window: { from: at(-2), to: at(2), zone: 'UTC' },
      perMinute: 2,
      groups: [groupOf({ success: 100 })],
    }),
  })
  await vi.waitFor(async () => expect((await rollouts.read(id)).groups[0]?.succeeded).toBe(1), {
    timeout: 30_000,
    interval: 50,
  })
  const pace = async () =>
    (
      await sql<{ ms: number }>`select extract(epoch from rate_at - now())::float8 * 1000 as ms
        from maple.rollout where id = ${id}`.execute(server.db)
    ).rows[0]?.ms ?? 0
  expect(await pace()).toBeGreaterThan(20_000)
  for (const succeeded of [2, 3]) {
    await sql`update maple.rollout set rate_at = null where id = ${id}`.execute(server.db)
    await rollouts.control(id, 'pause')
    await rollouts.control(id, 'resume', {})
    await vi.waitFor(
      async () => expect((await rollouts.read(id)).groups[0]?.succeeded).toBe(succeeded),
      { timeout: 30_000, interval: 50 },
    )
  }
  const waiting = await rollouts.executions(id, '&state=queued')
  expect(waiting.map(({ deviceId }) => deviceId)).toEqual([own?.deviceId])
  expect((await rollouts.read(id)).state).toBe('running')
  await rollouts.control(id, 'stop')
})

test('an element in another session is retried later; one without keys fails', async () => {
  const { tag, cards } = await fleet(2)
  const [busy, bare] = cards
  const session = await server.open(busy?.cplc ?? '')
  await sql`delete from maple.device_credential`.execute(server.db)
  await sql`update maple.element set device_id = null, attached_at = null where cplc = ${bare?.cplc}`.execute(
    server.db,
  )
  const { id } = await rollouts.started({
    name: 'Busy',
    program: await program(),
    targets: { filter: { tag } },
    plan: planWith({ groups: [groupOf({ success: 0 })] }),
  })
  await vi.waitFor(
    async () =>
      expect(countsOf(await rollouts.read(id))).toEqual([
        { total: 2, succeeded: 0, failed: 0, skipped: 1, queued: 1 },
      ]),
    { timeout: 30_000, interval: 50 },
  )
  expect((await rollouts.causes(id)).map(({ cause, state }) => [cause, state])).toEqual([
    ['no_element', 'skipped'],
  ])
  await vi.waitFor(
    async () =>
      expect((await rollouts.executions(id, '&state=queued'))[0]?.attempts).toBeGreaterThan(0),
    { timeout: 30_000, interval: 50 },
  )
  await server.ask('POST', `/${session.id}/end`)
  await sql`update maple.rollout_execution set not_before = '-infinity' where rollout_id = ${id}`.execute(
    server.db,
  )
  await rollouts.control(id, 'pause')
  await rollouts.control(id, 'resume', {})
  expect(countsOf(await rollouts.until(id, 'finished'))[0]).toMatchObject({ succeeded: 1 })
})

test('a script waits for an element in another session, like everything else @long', async () => {
  const { tag, cards } = await fleet(1)
  const session = await server.open(cards[0]?.cplc ?? '')
  const scripts = async (path: string, payload: object) => {
    const url = `/api/maple/scripts${path}`
    const answer = await server.app.inject({ method: 'POST', url, headers: server.admin, payload })
    expect([answer.statusCode < 300, answer.body]).toEqual([true, answer.body])
    return answer.json<{ id: string }>()
  }
  const script = await scripts('', { name: `Wait ${tag}`, note: '', draft: 'se.select()' })
  await scripts(`/${script.id}/publish`, { note: '' })
  const { id } = await rollouts.started({
    name: 'Waiting script',
    program: { kind: 'script', id: script.id, input: {} },
    targets: { filter: { tag } },
    plan: planWith(),
  })
  await vi.waitFor(
    async () =>
      expect((await rollouts.executions(id, '&state=queued'))[0]?.attempts).toBeGreaterThan(0),
    { timeout: 30_000, interval: 50 },
  )
  await server.ask('POST', `/${session.id}/end`)
  await sql`update maple.rollout_execution set not_before = '-infinity' where rollout_id = ${id}`.execute(
    server.db,
  )
  await rollouts.control(id, 'pause')
  await rollouts.control(id, 'resume', {})
  expect(countsOf(await rollouts.until(id, 'finished'))[0]).toMatchObject({ succeeded: 1 })
})

test('a rollout of one service provider does not exist for another, in every call', async () => {
  const mine = createRolloutClient(server, await server.member('own-fleet', ['developer']))
  const theirs = createRolloutClient(server, await server.member('other-fleet', ['developer']))
  const own = createAppletClient(server, await server.member('own-fleet', ['developer']))
  const { tag, cards } = await fleet(2, 'own-fleet')
  const { id: appletOfMine } = await own.uploaded()
  const given = {
    name: 'Mine',
    program: { kind: 'applet' as const, id: appletOfMine, input: { action: 'install' } },
    targets: { filter: { tag } },
    plan: planWith(),
  }
  const { id } = await mine.create(given)
  const listed = await theirs.send<{ items: Rollout[] }>('GET', '')
  expect(listed.body.items).toEqual([])
  const calls: [method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object][] = [
    ['GET', `/${id}`],
    ['PUT', `?id=${id}`, { name: 'Theirs' }],
    ['DELETE', `?id=${id}`],
    ['POST', `/${id}/start`],
    ['POST', `/${id}/pause`],
    ['POST', `/${id}/resume`, {}],
    ['POST', `/${id}/next`],
    ['POST', `/${id}/stop`],
    ['POST', `/${id}/rollback`],
    ['POST', `/${id}/retry`, {}],
    ['GET', `/${id}/cause`],
    ['GET', `/${id}/execution`],
    ['POST', '', given],
  ]
  for (const [method, path, body] of calls) {
    const answer = await theirs.send(method, path, body)
    expect([method, path, answer.status, answer.body.code]).toEqual([
      method,
      path,
      404,
      'not_found',
    ])
  }
  // The devices and cards of another are found by no filter, no id and no canary group.
  const applet = await createAppletClient(
    server,
    await server.member('other-fleet', ['developer']),
  ).uploaded({ aid: 'D27600008599' })
  const [card] = cards
  const stray = await theirs.started({
    ...given,
    program: { ...given.program, id: applet.id },
    targets: { devices: cards.map(({ deviceId }) => deviceId) },
  })
  expect(countsOf(await theirs.until(stray.id, 'finished'))).toEqual([
    { total: 0, succeeded: 0, failed: 0 },
  ])
  const canary = await theirs.send('POST', '', {
    ...given,
    program: { ...given.program, id: applet.id },
    plan: planWith({ canaries: [card?.cplc ?? ''] }),
  })
  expect([canary.status, canary.body.errors?.[0]?.path]).toEqual([400, 'plan.canaries.0'])
  const count = await theirs.send<{ count: number }>('GET', `/count?tag=${tag}`)
  expect(count.body.count).toBe(0)
  expect((await mine.send<{ count: number }>('GET', `/count?tag=${tag}`)).body.count).toBe(2)
})

test('a draft is changed at its revision, and an invalid one is refused by field', async () => {
  const { tag } = await fleet(0)
  const given = {
    name: 'Draft',
    program: await program(),
    targets: { filter: { tag } },
    plan: planWith(),
  }
  const { id, revision } = await rollouts.create(given)
  const changed = await rollouts.send<Rollout>('PUT', `?id=${id}`, { name: 'Renamed' })
  expect([changed.body.name, changed.body.revision]).toEqual(['Renamed', revision + 1])
  const refusals: [change: object, path: string][] = [
    [{ program: { ...given.program, input: { action: 'explode' } } }, 'program.input.action'],
    [{ program: { ...given.program, input: { action: 'install', x: 1 } } }, 'program.input.x'],
    [{ targets: {} }, 'targets'],
    [{ targets: { filter: { attribute: '=' } } }, 'attribute'],
    [
      { plan: planWith({ window: { from: '01:00', to: '02:00', zone: 'Mars/X' } }) },
      'plan.window.zone',
    ],
    [
      {
        plan: planWith({
          groups: [groupOf({ by: 'share', amount: 60 }), groupOf({ by: 'share', amount: 41 })],
        }),
      },
      'plan.groups',
    ],
    [{ plan: planWith({ groups: [groupOf(), groupOf()] }) }, 'plan.groups.0.by'],
    [{ plan: planWith({ canaries: ['AB'.repeat(42)] }) }, 'plan.canaries.0'],
  ]
  for (const [change, path] of refusals) {
    const answer = await rollouts.send('PUT', `?id=${id}`, change)
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, path])
  }
  await rollouts.control(id, 'start')
  const late = await rollouts.send('PUT', `?id=${id}`, { name: 'Late' })
  expect([late.status, late.body.code]).toEqual([409, 'transition_refused'])
  await rollouts.until(id, 'finished')
  expect((await rollouts.send('DELETE', `?id=${id}`)).status).toBe(204)
})

test('raw bytes reach a card in a rollout only if the person who starts it may send them @long', async () => {
  const { tag } = await fleet(1, 'acme')
  const developer = await server.member('acme', ['developer'])
  const admin = await server.member('acme', ['provider_admin'])
  const made = async (url: string, payload: object) => {
    const headers = developer
    const answer = await server.app.inject({ method: 'POST', url, headers, payload })
    return answer.json<{ id: string }>().id
  }
  const template = await made('/api/maple/templates', {
    name: 'Raw bytes',
    steps: [{ kind: 'raw', values: { command: '80CA9F7F00' } }],
  })
  await made(`/api/maple/templates/${template}/version`, {})
  const script = await made('/api/maple/scripts', {
    name: 'Raw bytes',
    draft: `se.transmit('80CA9F7F00')`,
  })
  await made(`/api/maple/scripts/${script}/publish`, {})
  const draft = (kind: 'template' | 'script', id: string) => ({
    name: 'Raw',
    program: { kind, id, input: {} },
    targets: { filter: { tag } },
    plan: planWith(),
  })
  const [byDeveloper, byAdmin] = [developer, admin].map((who) => createRolloutClient(server, who))
  if (!byDeveloper || !byAdmin) return expect.fail()
  expect(await byDeveloper.send('POST', '', draft('template', template))).toMatchObject({
    status: 403,
  })
  const outcome = async (client: RolloutClient, kind: 'template' | 'script', id: string) => {
    const rollout = await byAdmin.create(draft(kind, id))
    await client.control(rollout.id, 'start')
    const ended = async () => {
      const [execution] = await byAdmin.executions(rollout.id)
      expect(execution?.state).toMatch(/succeeded|failed/)
      return [execution?.state, execution?.cause]
    }
    return vi.waitFor(ended, { timeout: 30_000, interval: 50 })
  }
  for (const [kind, id] of [
    ['template', template],
    ['script', script],
  ] as const) {
    expect(await outcome(byDeveloper, kind, id)).toEqual([
      'failed',
      expect.stringMatching('right to send|session.raw'),
    ])
    expect(await outcome(byAdmin, kind, id)).toEqual(['succeeded', null])
  }
})
