import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { calls } from '@grove/contract/calls'
import type { Call } from '@grove/contract/call'
import { exampleOf } from './core/testing/example.ts'
import { startTestServer, type TestServer } from './core/testing/test-platform.ts'
import { fillFleet } from './sample/fleet.ts'
import { sampleDevice } from './sample/fleet-device.ts'
import { maple } from './services/maple/index.ts'
import type { MapleTables } from './services/maple/base/tables.ts'

const rows = 3_000
/** The statistics claim this many times the rows, so that the planner plans as for a large fleet. */
const scale = 400
/** A search looks at up to 2,000 matches in each of the 24 types and states. */
const maxSorted = 24 * 2_001

const device = sampleDevice(1234, Date.now())
/** The applet, operation, sessions, programs, runs, rollout and group whose own lists are read. */
const objectId = '00000000-0000-4000-8000-000000000001'
/** A group with a rule. */
const ruleId = '00000000-0000-4000-8000-000000000002'
const facts = {
  applets: [],
  imports: [],
  javaCard: null,
  format: '2.1',
  usesIntegers: false,
  hasExports: false,
  components: [],
  signatures: [],
}
const imageFacts = {
  version: '1.0.0',
  loadAddress: 0,
  headerSize: 32,
  imageSize: 1,
  protectedSize: 0,
  flags: 0,
  header: '',
  tlvs: [],
  hash: '',
  end: 0,
  bytes: 1,
}
const rolloutPlan = {
  canaries: [],
  groups: [],
  perMinute: null,
  atOnce: 1,
  window: null,
  runMinutes: 1,
  startHours: 1,
  startsAt: null,
}
const handlerDraft = { trigger: { type: 'webhook', proof: 'token' } }
const pathOf = (key: string) => key.slice('GET '.length).replace('{id}', objectId)
/** Values that occur in the data; for a filter without one, the contract's examples. */
const values: Record<string, string[]> = {
  q: [device.name.slice(0, 4), device.id.slice(0, 5), device.cplc[0] ?? '', '4790D321', 'a'],
  id: [device.id],
  cplc: [device.cplc[0] ?? ''],
  type: ['iot', 'boot,virtual'],
  state: [],
  tag: [device.tags?.[0] ?? 'north'],
  chipType: ['4790D321'],
  count: ['true'],
  productId: [objectId],
  groupId: [objectId, ruleId],
  deviceId: [device.id],
}

interface Schema {
  enum?: string[]
  pattern?: string
}
const paging = new Set(['cursor', 'limit', 'sort', 'order'])

const lists = Object.entries<Call>(calls).filter(
  ([key, { service, query }]) =>
    service === 'maple' && key.startsWith('GET ') && 'cursor' in Object(Object(query).properties),
)

/** Each order of a list, without a filter, with each filter, with each pair, and with all of them. */
function queriesOf({ query }: Call): Record<string, string>[] {
  const properties: Record<string, Schema> = Object(Object(query).properties)
  const filters = Object.entries(properties)
    .filter(([name]) => !paging.has(name))
    .map(([name, schema]) => ({ name, values: valuesOf(name, schema) }))
  const one = (value: { name: string; values: string[] }) => ({
    [value.name]: value.values[0] ?? '',
  })
  const singles = filters.flatMap(({ name, values: all }) =>
    all.map((value) => ({ [name]: value })),
  )
  const pairs = filters.flatMap((first, at) =>
    filters.slice(at + 1).map((second) => ({ ...one(first), ...one(second) })),
  )
  const every = Object.assign({}, ...filters.map(one)) as Record<string, string>
  const sorts = properties['sort']?.enum ?? [undefined]
  const orders = properties['order']?.enum ?? [undefined]
  return [{}, ...singles, ...pairs, every].flatMap((filter) =>
    sorts.flatMap((sort) =>
      orders.map((order) => ({
        ...filter,
        ...(sort !== undefined && { sort }),
        ...(order !== undefined && { order }),
      })),
    ),
  )
}

function valuesOf(name: string, schema: Schema): string[] {
  const known = values[name] ?? []
  const accepted =
    schema.pattern === undefined
      ? known
      : known.filter((value) => new RegExp(schema.pattern ?? '').test(value))
  return accepted.length > 0 ? accepted : (schema.enum ?? [String(exampleOf(schema))])
}

// These are plans of PostgreSQL with statistics; the embedded database has the same indexes.
describe.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')('every list of Maple', () => {
  let server: TestServer
  let headers: { authorization: string }
  /** Sees only the objects of one service provider. */
  let scoped: { authorization: string }
  let explain: Client
  beforeAll(async () => {
    server = await startTestServer([maple])
    headers = await server.bearer(['ADMIN'])
    const { db } = server.platform
    await fillFleet({ db: db.withTables<MapleTables>(), now: Date.now }, { devices: rows })
    await sql`
      insert into maple.service (id, name, name_key)
      select 'service-' || n, 'Service ' || n, 'service ' || n from generate_series(1, ${rows}) n
    `.execute(db)
    const holder = randomUUID()
    scoped = await server.bearer(['DEVELOPER'], holder)
    await sql`
      insert into maple.account (id, roles, service_id) values (${holder}, '{admin}', 'service-1')
    `.execute(db)
    await sql`
      update maple.device set service_id =
        'service-' || case when id = ${device.id} then 1 else 1 + abs(hashtext(id)) % 3 end
    `.execute(db)
    await sql`
      insert into maple.account (id, roles, expires_at, created_at)
      select gen_random_uuid(), '{viewer}', now() + (n - 1500) * interval '1 hour',
        now() - n * interval '1 minute'
      from generate_series(1, ${rows}) n
    `.execute(db)
    await sql`
      insert into maple.job (name, state, max_attempts, due_at, created_at, queued_at)
      select 'job.' || n % 7, case when n % 100 = 0 then 'failed' else 'completed' end, 1, now(),
        now() - n * interval '1 minute', now()
      from generate_series(1, ${rows}) n
    `.execute(db)
    await sql`
      insert into maple.event (at, actor, action, subject)
      select now() - n * interval '1 minute', 'actor ' || n % 7, 'device.' || n % 5,
        'subject ' || n % 9
      from generate_series(1, ${rows}) n
    `.execute(db)
    await sql`
      insert into maple.applet (id, service_id, name, name_key, package_aid, major, minor, facts,
        load_size, load_hash, file_name, bytes, sha256)
      values (${objectId}, 'service-1', 'Applet', 'applet', 'A000000001', 1, 0, ${JSON.stringify(facts)}::jsonb,
        1, '', 'a.cap', 1, '')
    `.execute(db)
    await sql`
      insert into maple.applet (service_id, state, name, name_key, package_aid, major, minor, facts,
        load_size, load_hash, file_name, bytes, sha256, created_at)
      select 'service-' || (1 + n % 3),
        (array['uploaded', 'verified', 'revoked'])[1 + n % 3]::maple.applet_state, 'Applet ' || n,
        'applet ' || n, 'A0000000' || upper(lpad(to_hex(n), 4, '0')), 1, 0, ${JSON.stringify(facts)}::jsonb,
        1, '', 'a.cap', 1, 'file ' || n, now() - n * interval '1 minute'
      from generate_series(1, ${rows}) n
    `.execute(db)
    await sql`
      insert into maple.product (id, service_id, name, name_key)
      values (${objectId}, 'service-1', 'Product', 'product')`.execute(db)
    await sql`
      insert into maple.product (service_id, state, name, name_key, model, model_key, created_at)
      select 'service-' || (1 + n % 3),
        (array['development', 'production', 'endOfLife'])[1 + n % 3]::maple.product_state,
        'Product ' || n, 'product ' || n, 'P-' || n, 'p-' || n, now() - n * interval '1 minute'
      from generate_series(1, ${rows}) n
    `.execute(db)
    await sql`
      update maple.device set product_id = ${objectId} where service_id = 'service-1'`.execute(db)
    await sql`
      insert into maple.binary_image (service_id, product_id, state, name, name_key, version,
        mcuboot, file_name, bytes, sha256, created_at)
      select 'service-' || (1 + n % 3), case when n % 3 = 0 then ${objectId}::uuid end,
        (array['uploaded', 'verified', 'revoked'])[1 + n % 3]::maple.binary_image_state,
        'Image ' || n, 'image ' || n, '1.0.0', ${JSON.stringify(imageFacts)}::jsonb, 'a.bin', 1,
        'image ' || n, now() - n * interval '1 minute'
      from generate_series(1, ${rows}) n
    `.execute(db)
    await sql`
      insert into maple.applet_operation (id, service_id, applet_id, kind, input, total)
      values (${objectId}, 'service-1', ${objectId}, 'install', '{}', ${rows})
    `.execute(db)
    await sql`
      insert into maple.applet_operation (service_id, applet_id, kind, input, total, created_at)
      select service_id, case when row_number() over () % 2 = 0 then id else ${objectId} end,
        'read', '{}', 1, created_at
      from maple.applet
    `.execute(db)
    await sql`
      insert into maple.card_reading (cplc) select cplc from maple.element limit ${rows}
    `.execute(db)
    await sql`
      insert into maple.installed_applet (cplc, package_aid, version, applet_id)
      select cplc, 'A000000001', '1.0', ${objectId} from maple.card_reading
    `.execute(db)
    await sql`
      insert into maple.applet_target (operation_id, cplc, state, started_at)
      select ${objectId}, cplc, 'succeeded', now() from maple.card_reading
    `.execute(db)
    await sql`
      insert into maple.session (id, service_id, cplc, state, purpose, transport, ended_at, day)
      values (${objectId}, 'service-1', '', 'closed', 'console', 'virtual', now(), current_date)
    `.execute(db)
    await sql`
      insert into maple.script (id, service_id, name, name_key, updated_at)
      select case when n = 1 then ${objectId}::uuid else gen_random_uuid() end,
        'service-' || (1 + (n - 1) % 3), 'Script ' || n, 'script ' || n,
        now() - n * interval '1 minute'
      from generate_series(1, ${rows}) n
    `.execute(db)
    await sql`
      insert into maple.script_version (script_id, number, code, sha256)
      select ${objectId}, n, '', '' from generate_series(1, ${rows}) n
    `.execute(db)
    await sql`
      insert into maple.script_run (script_id, batch_id, cplc, version, input, state, created_at)
      select id, gen_random_uuid(), 'cplc ' || n % 100, 1, '{}',
        (array['succeeded', 'failed', 'skipped'])[1 + n % 3], now() - n * interval '1 minute'
      from generate_series(1, ${rows}) n
      cross join (select id from maple.script order by name limit 2) as script
    `.execute(db)
    await sql`
      insert into maple.rollout (id, service_id, name, name_key, kind, program_id, program_name,
        program_version, input, targets, plan, state, created_at)
      select case when n = 0 then ${objectId} else gen_random_uuid() end, 'service-' || (1 + n % 3),
        'Rollout ' || n, 'rollout ' || n, 'applet', ${objectId}, 'Applet', '1.0', '{}', '{}',
        ${JSON.stringify(rolloutPlan)}::jsonb,
        (array['draft', 'running', 'finished'])[1 + n % 3], now() - n * interval '1 minute'
      from generate_series(0, ${rows}) n
    `.execute(db)
    await sql`
      insert into maple.rollout_execution (rollout_id, device_id, group_number, place, state, cause)
      select ${objectId}, id, 1 + abs(hashtext(id)) % 3, hashtext(id),
        (array['queued', 'succeeded', 'failed'])[1 + abs(hashtext(id)) % 3], 'unknown'
      from maple.device
    `.execute(db)
    await sql`
      insert into maple.device_group (id, service_id, name, name_key, description, rule)
      values (${objectId}, 'service-1', 'List', 'list', '', null),
        (${ruleId}, 'service-1', 'Rule', 'rule', '', ${JSON.stringify({ tag: device.tags?.[0] })}::jsonb)
    `.execute(db)
    await sql`
      insert into maple.device_group (service_id, name, name_key, description, rule, created_at)
      select 'service-' || (1 + n % 3), 'Group ' || n, 'group ' || n, '',
        case when n % 2 = 0 then '{"tag":"north"}'::jsonb end, now() - n * interval '1 minute'
      from generate_series(1, ${rows}) n
    `.execute(db)
    await sql`
      insert into maple.device_group_member (group_id, device_id)
      select ${objectId}, id from maple.device where service_id = 'service-1' limit 2000
    `.execute(db)
    await sql`
      insert into maple.template (id, service_id, name, name_key, draft, draft_sha256)
      values (${objectId}, 'service-1', 'Template', 'template', '{"parameters":[],"steps":[]}', '')
    `.execute(db)
    await sql`
      insert into maple.template_version (template_id, number, content, sha256)
      select ${objectId}, n, '{"parameters":[],"steps":[]}', '' from generate_series(1, ${rows}) n
    `.execute(db)
    await sql`
      insert into maple.template_run (id, service_id, template_id, version, input, total, rights)
      values (${objectId}, 'service-1', ${objectId}, 1, '{}', ${rows}, '{}')
    `.execute(db)
    await sql`
      insert into maple.template_target (run_id, cplc, state)
      select ${objectId}, cplc, (array['waiting', 'succeeded', 'failed'])[1 + abs(hashtext(cplc)) % 3]
      from maple.card_reading
    `.execute(db)
    await sql`
      insert into maple.cloud_handler (id, service_id, name, name_key, draft, draft_sha256, hook_key)
      values (${objectId}, 'service-1', 'Handler', 'handler', ${JSON.stringify(handlerDraft)}::jsonb,
        '', 'hook')
    `.execute(db)
    await sql`
      insert into maple.cloud_handler_run (handler_id, source, type, event, state, created_at)
      select ${objectId}, 'test', 'test', '{}', (array['dead', 'succeeded'])[1 + n % 2],
        now() - n * interval '1 minute'
      from generate_series(1, ${rows}) n
    `.execute(db)
    await sql`
      insert into maple.device_handler (id, service_id, name, name_key, draft_sha256, version, updated_at)
      select case when n = 1 then ${objectId}::uuid else gen_random_uuid() end,
        'service-' || (1 + (n - 1) % 3), 'Handler ' || n, 'handler ' || n, '',
        case when n % 2 = 0 then 1 end, now() - n * interval '1 minute'
      from generate_series(1, ${rows}) n
    `.execute(db)
    await sql`
      insert into maple.device_handler_version (device_handler_id, number, code, tests, sha256)
      select ${objectId}, n, '', '[]', '' from generate_series(1, ${rows}) n
    `.execute(db)
    await sql`
      insert into maple.device_command (id, device_id, service_id, name, data, created_at, expires_at)
      select gen_random_uuid(), ${device.id}, 'service-1', 'echo', '{}',
        now() - n * interval '1 minute', now() + interval '1 hour'
      from generate_series(1, ${rows}) n
    `.execute(db)
    await sql`
      insert into maple.device_session (id, device_id, service_id, gateway_id, protocol, ip, boot,
        first_message)
      values (${objectId}, ${device.id}, 'service-1', ${objectId}, 'websocket', '::1', 'a', 0)
    `.execute(db)
    await sql`
      insert into maple.device_message (device_id, kind, boot, seq, data)
      select ${device.id}, 'event', 'a', n, '{}' from generate_series(1, ${rows}) n
    `.execute(db)
    await sql`vacuum analyze`.execute(db)
    await sql`
      update pg_class set reltuples = reltuples * ${sql.lit(scale)}
      where relnamespace = 'maple'::regnamespace
    `.execute(db)
    const found = await sql<{ name: string }>`select current_database() as name`.execute(db)
    explain = new Client({ connectionString: databaseUrl(found.rows[0]?.name ?? '') })
    await explain.connect()
    // An empty table would be scanned anyway, and a query that no index serves scans even so.
    await explain.query('set enable_seqscan = off')
  }, 120_000)
  afterAll(async () => {
    await explain.end()
    await server.close()
  })

  /** The statements of one call, with their parameters. */
  async function statementsOf(url: string, as = headers) {
    const query = vi.spyOn(Client.prototype, 'query')
    try {
      const response = await server.app.inject({ url, headers: as })
      const statements = query.mock.calls as unknown as [text: unknown, parameters: unknown][]
      return {
        status: response.statusCode,
        body: response.json<{ next?: string | null; code?: string }>(),
        statements: statements.filter(
          (each): each is [string, unknown[]] =>
            typeof each[0] === 'string' && /^\s*(select|with)\b/i.test(each[0]),
        ),
      }
    } finally {
      query.mockRestore()
    }
  }

  async function wrongWithPlan(text: string, parameters: unknown[] = []): Promise<string[]> {
    const explained = await explain.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (format json) ${text}`,
      parameters,
    )
    const plan = explained.rows[0]?.['QUERY PLAN'][0].Plan
    return plan === undefined ? ['no plan'] : nodesOf(plan).flatMap(problemsOf)
  }

  /** What is wrong with the plan of each statement of a call. */
  async function wrongWith(
    url: string,
    as = headers,
  ): Promise<{ status: number; next: string | null; wrong: string[] }> {
    const { status, body, statements } = await statementsOf(url, as)
    const wrong: string[] = []
    for (const [text, parameters] of statements)
      wrong.push(...(await wrongWithPlan(text, parameters)))
    return { status, next: body.next ?? null, wrong }
  }

  test.each(lists)(
    '%s reads ranges of indexes, however it is filtered and sorted @long',
    async (key, call) => {
      const path = pathOf(key)
      const found: string[] = []
      let answered = 0
      for (const query of queriesOf(call)) {
        const url = `${path}?${new URLSearchParams({ ...query, limit: '20' })}`
        const first = await wrongWith(url)
        // Some filters exclude others, and the call refuses them.
        expect([url, first.status]).toEqual([url, first.status === 400 ? 400 : 200])
        if (first.status === 400) continue
        answered += 1
        found.push(...first.wrong.map((wrong) => `${url}: ${wrong}`))
        // One filter at a time shows how a page after a cursor is read.
        if (first.next === null || Object.keys(query).length > 3) continue
        const next = await wrongWith(`${url}&${new URLSearchParams({ cursor: first.next })}`)
        found.push(...next.wrong.map((wrong) => `${url}, second page: ${wrong}`))
      }
      expect(found).toEqual([])
      expect(answered).toBeGreaterThan(0)
    },
    120_000,
  )

  const scopedLists = lists.filter(
    ([, { access }]) => typeof access === 'object' && access.isScoped,
  )

  test.each(scopedLists)('%s reads ranges of indexes within a scope @long', async (key, call) => {
    const path = pathOf(key)
    const found: string[] = []
    for (const query of queriesOf(call).filter((each) => Object.keys(each).length <= 3)) {
      const url = `${path}?${new URLSearchParams({ ...query, limit: '20' })}`
      const { status, wrong } = await wrongWith(url, scoped)
      expect([url, status]).toEqual([url, status === 400 ? 400 : 200])
      found.push(...wrong.map((each) => `${url}: ${each}`))
    }
    expect(found).toEqual([])
  })

  test.each([
    ['select id from maple.device where revision = 1 limit 20', [/^Seq Scan of device/]],
    [
      "select id from maple.device where type = 'iot' order by updated_at limit 20",
      [/^Sort of \d{6,} rows/],
    ],
  ])('queries without a matching index are found: %s', async (text, expected) => {
    expect(await wrongWithPlan(text)).toEqual(expected.map((each) => expect.stringMatching(each)))
  })
})

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Plan Rows': number
  Plans?: Plan[]
}

/** Tables that the service keeps small. */
const small = new Set<string | undefined>(['profile'])

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

function problemsOf({ 'Node Type': type, 'Relation Name': table, Plans = [] }: Plan): string[] {
  if (type === 'Seq Scan' && !small.has(table)) return [`Seq Scan of ${table}`]
  const input = Plans.reduce((sum, plan) => sum + plan['Plan Rows'], 0)
  const readsAll = type === 'Sort' || type === 'Hash'
  return readsAll && input > maxSorted ? [`${type} of ${input} rows`] : []
}

function databaseUrl(name: string): string {
  return Object.assign(new URL(inject('postgresUrl')), { pathname: `/${name}` }).href
}
