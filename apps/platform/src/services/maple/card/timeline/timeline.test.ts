import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TimelineEntry } from '@grove/contract/maple/card/timeline'
import { timelineKinds } from '@grove/contract/maple/card/timeline.rules'
import {
  explaining,
  readsOf,
  rowsRead,
  type Plan,
} from '../../../../core/testing/explained-plans.ts'
import { everything } from '../../../../core/scope.ts'
import { startSessionServer, type SessionServer } from '../session/testing/session-server.ts'
import { timelineList } from './timeline.queries.ts'

let server: SessionServer
beforeAll(async () => {
  server = await startSessionServer()
})
afterAll(() => server.close())

interface Page {
  items: TimelineEntry[]
  next: string | null
  previous: string | null
}

async function timeline(cplc: string, query = '', headers = server.admin) {
  const response = await server.app.inject({
    url: `/api/maple/se/timeline?cplc=${cplc}${query}`,
    headers,
  })
  return { status: response.statusCode, body: response.json<Page>() }
}

/** An element with an entry of each kind, a minute apart, the last one newest. */
async function told(cplc: string): Promise<void> {
  const { db } = server
  const at = (minute: number) =>
    sql`timestamptz '2026-01-02 03:00:00.123456Z' + ${minute} * interval '1 minute'`
  const { rows } = await sql<{ device: string }>`
    update maple.element set attached_at = ${at(0)} where cplc = ${cplc}
    returning device_id as device`.execute(db)
  const device = rows[0]?.device ?? ''
  const event = (subject: string, action: string, minute: number) =>
    sql`
    insert into maple.event (at, actor, action, subject, service_id)
    values (${at(minute)}, 'anna', ${action}, ${subject}, 'acme')`.execute(db)
  await event(cplc, 'element.create', 1)
  await event(device, 'device.accept', 2)
  // The approval itself is shown.
  await event(cplc, 'approval.request', 7)
  // Before the chip was attached to it.
  await event(device, 'device.create', -1)
  await sql`
    insert into maple.session (id, service_id, cplc, state, purpose, transport, opened_by, opened_at, ended_at, day)
    values (gen_random_uuid(), 'acme', ${cplc}, 'closed', 'read', 'virtual', 'anna', ${at(3)}, ${at(3)}, '2026-01-02')
  `.execute(db)
  await sql`
    insert into maple.card_operation (service_id, cplc, kind, state, input, steps, created_by, created_at, finished_at)
    values ('acme', ${cplc}, 'domains', 'succeeded', '{}', '[]', 'anna', ${at(4)}, ${at(4)})`.execute(
    db,
  )
  const { rows: sets } = await sql<{ id: string }>`
    select id from maple.key_set where cplc = ${cplc}`.execute(db)
  const set = sets[0]?.id
  await sql`
    insert into maple.key_rotation (id, cplc, old_set, custody, old_version, new_version, step, journal, created_by, created_at)
    values (gen_random_uuid(), ${cplc}, ${set}, 'vault', 48, 49, 'committed', '[]', 'anna', ${at(5)})`.execute(
    db,
  )
  await sql`
    insert into maple.key_export (id, cplc, key_set, approval_id, requested_by, transport_check_value, created_at)
    values (gen_random_uuid(), ${cplc}, ${set}, gen_random_uuid(), 'anna', '010203', ${at(6)})`.execute(
    db,
  )
  await sql`
    insert into maple.approval (id, service_id, action, subject, input, state, needed, requested_by, expires_at, created_at)
    values (gen_random_uuid(), 'acme', 'key.export', ${cplc}, '{}', 'approved', 2, 'anna', now(), ${at(7)})`.execute(
    db,
  )
}

/** Runs of a template and of a script on an element, and one that has not reached it yet. */
async function ran(cplc: string): Promise<void> {
  const { db } = server
  const at = (minute: number) =>
    sql`timestamptz '2026-01-02 04:00:00.123456Z' + ${minute} * interval '1 minute'`
  const { rows } = await sql<{ template: string; script: string }>`
    with template as (
      insert into maple.template (service_id, name, name_key, draft, draft_sha256)
      values ('acme', 'Fares', ${cplc}, '{}', '') returning id
    ), version as (
      insert into maple.template_version (template_id, number, content, sha256)
      select id, 1, '{}', '' from template
    ), script as (
      insert into maple.script (service_id, name, name_key)
      values ('acme', 'Look', ${cplc}) returning id
    ) select template.id as template, script.id as script from template, script`.execute(db)
  const { template = '', script = '' } = rows[0] ?? {}
  for (const started of [at(0), sql`null::timestamptz`]) {
    await sql`
      with run as (
        insert into maple.template_run
          (service_id, template_id, version, input, total, rights, created_by, created_at)
        values ('acme', ${template}, 1, '{}', 1, '{}', 'anna', ${at(0)}) returning id
      ) insert into maple.template_target (run_id, cplc, state, started_at)
      select id, ${cplc}, 'failed', ${started} from run`.execute(db)
    await sql`
      insert into maple.script_run
        (script_id, service_id, batch_id, cplc, input, state, started_by, started_at)
      values (${script}, 'acme', gen_random_uuid(), ${cplc}, '{}', 'timed_out', 'anna',
        ${started} + interval '1 minute')`.execute(db)
  }
}

test('started runs of templates and scripts are entries that name their program', async () => {
  const cplc = await server.card({}, 'acme')
  await ran(cplc)
  const { body } = await timeline(cplc)
  const facts = { by: 'anna', programId: expect.any(String) }
  expect(body.items.slice(0, 2)).toMatchObject([
    { kind: 'script', about: 'Look', state: 'timed_out', ...facts },
    { kind: 'template', about: 'Fares', state: 'failed', ...facts },
  ])
  for (const kind of ['template', 'script'])
    expect((await timeline(cplc, `&kind=${kind}`)).body.items).toHaveLength(1)
  const seen = async (roles: string[], service: string) => {
    const answer = await timeline(cplc, '&kind=script', await server.member(service, roles))
    return answer.status === 200 ? answer.body.items.length : answer.status
  }
  expect(await seen(['viewer'], 'acme')).toBe(0)
  expect(await seen(['developer'], 'umbra')).toBe(404)
})

const newest = [
  ['approval', 'key.export', 'approved'],
  ['export', 'export', null],
  ['keys', 'rotation', 'committed'],
  ['operation', 'domains', 'succeeded'],
  ['session', 'read', 'closed'],
  ['device', 'device.accept', null],
  ['event', 'element.create', null],
]

test('the events of a chip are one list, newest first, page by page', async () => {
  const cplc = await server.card({}, 'acme')
  await told(cplc)
  const { status, body } = await timeline(cplc)
  expect(status).toBe(200)
  expect(body.items.map(({ kind, name, state }) => [kind, name, state])).toEqual(newest)
  expect(body.items.every(({ by }) => by === 'anna')).toBe(true)
  expect(body.items[2]?.about).toBe('31')
  expect(body.items[4]?.sessionId).toBe(body.items[4]?.id.replace('session ', ''))

  const walked: TimelineEntry[] = []
  let cursor = ''
  do {
    const page = await timeline(cplc, `&limit=2${cursor && `&cursor=${cursor}`}`)
    walked.push(...page.body.items)
    cursor = page.body.next ?? ''
  } while (cursor !== '')
  expect(walked).toEqual(body.items)

  for (const kind of ['event', 'device', 'session', 'operation', 'keys', 'export', 'approval'])
    expect((await timeline(cplc, `&kind=${kind}`)).body.items.map((each) => each.kind)).toEqual([
      kind,
    ])
  expect((await timeline(cplc, '&kind=applet')).body.items).toEqual([])
})

test('a chip that was personalised again keeps the events under its former CPLC', async () => {
  const cplc = await server.card({}, 'acme')
  await told(cplc)
  const next = `${cplc.slice(0, -4)}1234`
  await sql`delete from maple.software_card where cplc = ${cplc}`.execute(server.db)
  await sql`update maple.element set cplc = ${next} where cplc = ${cplc}`.execute(server.db)
  await sql`
    insert into maple.element_history (former_cplc, cplc) values (${cplc}, ${next})`.execute(
    server.db,
  )
  const { body } = await timeline(next)
  expect(body.items.map(({ kind, name, state }) => [kind, name, state])).toEqual(newest)
})

test('readers see what they may read elsewhere, and nothing of another service provider', async () => {
  const cplc = await server.card({}, 'acme')
  await told(cplc)
  const kinds = async (roles: string[], service = 'acme') => {
    const { status, body } = await timeline(cplc, '', await server.member(service, roles))
    return status === 200 ? body.items.map(({ kind }) => kind) : status
  }
  expect(await kinds(['security_officer'])).toContain('session')
  expect(await kinds(['viewer'])).toEqual(['approval', 'export', 'keys', 'operation'])
  expect(await kinds(['security_officer'], 'umbra')).toBe(404)
  expect((await timeline('00')).status).toBe(400)
})

test('a page reads ranges of indexes, however many entries there are @long', async () => {
  const cplc = await server.card({}, 'acme')
  await told(cplc)
  for (const subject of [cplc, 'F'.repeat(84)])
    await sql`
      insert into maple.session (id, cplc, state, purpose, transport, opened_at, ended_at, day)
      select gen_random_uuid(), ${subject}, 'closed', 'read', 'virtual',
        timestamptz '2025-01-01' + n * interval '1 minute', now(), '2026-01-02'
      from generate_series(1, 20000) as n`.execute(server.db)
  await sql`
    insert into maple.event (at, actor, action, subject)
    select timestamptz '2025-01-01' + n * interval '1 minute', 'anna', 'element.read',
      case when n % 2 = 0 then ${cplc} else 'other' end
    from generate_series(1, 40000) as n`.execute(server.db)
  await sql`analyze maple.session`.execute(server.db)
  await sql`analyze maple.event`.execute(server.db)
  const of = { cplc, subjects: [cplc], device: undefined, kinds: timelineKinds, scope: everything }
  const { items, next } = await timelineList.read(server.context.db, { limit: 50 }, of)
  expect(items).toHaveLength(50)
  for (const cursor of [undefined, next ?? '']) {
    const plans: Plan[] = []
    const db = server.context.db.withPlugin(explaining('maple.session', plans))
    await timelineList.read(db, { limit: 50, ...(cursor && { cursor }) }, of)
    for (const table of ['session', 'event']) {
      const reads = readsOf(plans, table)
      expect([table, reads.length > 0]).toEqual([table, true])
      expect(Math.max(...reads.map((node) => rowsRead(node)))).toBeLessThan(200)
    }
  }
})
