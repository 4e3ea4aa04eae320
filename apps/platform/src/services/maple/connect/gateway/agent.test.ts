import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { gatewayWorld, type GatewayWorld } from './testing/gateway-world.ts'
import { runAgent, startAgent } from './testing/run-agent.ts'

let world: GatewayWorld
let folder = ''
beforeAll(async () => {
  world = await gatewayWorld()
  folder = await mkdtemp(join(tmpdir(), 'grove-agent-'))
})
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})
afterAll(async () => {
  await world.close()
  await rm(folder, { recursive: true, force: true })
})

const run = (file: string, args: string[]) => {
  const agent = runAgent(world, file, args)
  stops.push(agent.stop)
  return agent
}
const start = (file: string, args: string[]) => {
  const agent = startAgent(file, args)
  stops.push(agent.stop)
  return agent
}

const makeCode = async (mostUses: number, state = 'accepted') =>
  (await world.ask('POST', 'device/claim_code', { name: 'Batch', type: 'iot', state, mostUses }))
    .body.code as string
const online = async (prefix: string) =>
  (
    await sql<{ count: number }>`
      select count(*)::int as count from maple.device
      where state = 'online' and id like ${`${prefix}-%`}`.execute(world.db)
  ).rows[0]?.count
const waiting = { timeout: 60_000, interval: 100 }

test(
  'an agent claims its secret, offers its element, and duplicates nothing after reconnecting @long',
  { timeout: 120_000 },
  async () => {
    const state = join(folder, 'agent.json')
    const args = ['--id', 'desk-1', '--state', state, '--elements', '1', '--every', '0.1']
    const { said } = run('main.ts', [...args, '--code', await makeCode(1)])
    await vi.waitFor(async () => expect(await world.stateOf('desk-1')).toBe('online'), waiting)
    expect((await stat(state)).mode & 0o777).toBe(0o600)
    expect(await readFile(state, 'utf8')).toContain('"isClaimed":true')

    const cplc = /software element ([0-9A-F]{84})/.exec(said.text)?.[1]
    await world.ask('PUT', 'device?id=desk-1', { cplc: [cplc] })
    const opened = await world.ask('POST', 'sessions/se', { cplc })
    expect(opened).toMatchObject({ status: 201, body: { transport: 'device' } })
    const raw = (command: string) =>
      world.ask('POST', `sessions/se/${opened.body.id}/raw`, { command })
    expect((await raw('00A4040000')).body).toMatchObject({ items: [{ statusWord: '9000' }] })
    expect((await raw('80CA9F7F00')).body).toMatchObject({
      items: [{ reply: `9F7F2A${cplc}9000` }],
    })
    await world.ask('POST', `sessions/se/${opened.body.id}/end`)

    const { rows: before } = await sql<{ seq: number }>`
      select seq::int from maple.device_stream where device_id = 'desk-1'`.execute(world.db)
    // As when the device's rights change: it reconnects, with the same boot.
    await sql`insert into maple.device_notice (device_id) values ('desk-1')`.execute(world.db)
    await vi.waitFor(() => expect(said.text).toContain('Trying again'), waiting)
    await vi.waitFor(async () => {
      const { rows } = await sql<{ seq: number; lost: number; count: number }>`
        select seq::int, lost::int, (select count(distinct seq)::int from maple.device_message
          where device_id = 'desk-1') as count
        from maple.device_stream where device_id = 'desk-1'`.execute(world.db)
      expect(rows).toHaveLength(1)
      expect(rows[0]?.seq).toBeGreaterThan((before[0]?.seq ?? 0) + 5)
      expect(rows[0]).toMatchObject({ lost: 0, count: rows[0]?.seq })
    }, waiting)
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from (select seq from maple.device_message
        where device_id = 'desk-1' group by seq having count(*) > 1) as doubled`.execute(world.db)
    expect(rows[0]?.count).toBe(0)
  },
)

test(
  'an agent whose secret is revoked ends and says what to do @long',
  { timeout: 120_000 },
  async () => {
    const state = join(folder, 'revoked.json')
    const { said, ended } = run('main.ts', [
      '--id',
      'desk-2',
      '--state',
      state,
      '--code',
      await makeCode(1),
    ])
    await vi.waitFor(async () => expect(await world.stateOf('desk-2')).toBe('online'), waiting)
    const { body } = await world.ask('GET', 'device/credential?deviceId=desk-2')
    await world.ask('DELETE', `device/credential?id=${body.items[0].id}`)
    expect((await ended)[0]).toBe(1)
    expect(said.text).toContain('Claim it again')
  },
)

test(
  'a fleet claims, comes online, and comes back with the same secrets @long',
  { timeout: 180_000 },
  async () => {
    const count = 40
    const platform = ['--platform', `http://${world.address}`]
    const args = [
      'fleet',
      ...platform,
      '--count',
      `${count}`,
      '--prefix',
      'fleet',
      '--state',
      join(folder, 'fleet.json'),
    ]
    const first = start('main.ts', [...args, '--code', await makeCode(count)])
    await vi.waitFor(async () => expect(await online('fleet')).toBe(count), waiting)
    await first.stop()
    await vi.waitFor(async () => expect(await online('fleet')).toBe(0), waiting)
    // Without a code: nothing is left to claim.
    start('main.ts', args)
    await vi.waitFor(async () => expect(await online('fleet')).toBe(count), waiting)
    const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from maple.device_credential where device_id like 'fleet-%'`.execute(
      world.db,
    )
    expect(rows[0]?.count).toBe(count)
  },
)

test(
  'a killed agent sends unstored messages after its restart, once',
  { timeout: 120_000 },
  async () => {
    const state = join(folder, 'killed.json')
    const mqtt = `mqtt://127.0.0.1:${world.mqttPort}`
    const args = ['--id', 'desk-3', '--state', state, '--every', '0.05', '--mqtt', mqtt]
    // None of its messages is stored before people accept it.
    const first = run('main.ts', [...args, '--code', await makeCode(1, 'quarantined')])
    const kept = async () => (await readFile(`${state}.queue`, 'utf8')).trim().split('\n').slice(1)
    await vi.waitFor(async () => expect((await kept()).length).toBeGreaterThan(20), waiting)
    await first.stop('SIGKILL')
    const before = (await kept()).length
    await world.ask('PUT', 'device?id=desk-3', { state: 'accepted' })
    run('main.ts', args)
    await vi.waitFor(async () => {
      const { rows } = await sql<{ seq: number; lost: number; count: number; starts: number }>`
        select stream.seq::int, stream.lost::int,
          (select count(*)::int from maple.device_message where device_id = 'desk-3') as count,
          (select count(*)::int from maple.device_message
            where device_id = 'desk-3' and kind = 'reported') as starts
        from maple.device_stream as stream where device_id = 'desk-3'`.execute(world.db)
      expect(rows).toHaveLength(1)
      expect(rows[0]?.seq).toBeGreaterThan(before)
      expect(rows[0]).toMatchObject({ lost: 0, starts: 2, count: rows[0]?.seq })
    }, waiting)
    const { body } = await world.ask('GET', 'device/connection?deviceId=desk-3')
    expect(body.protocol).toBe('mqtt 5')
  },
)

test('the check of a platform passes each step, by both links', { timeout: 120_000 }, async () => {
  const { said, ended } = start('main.ts', [
    'check',
    `http://${world.address}`,
    await makeCode(1),
    '--mqtt',
    `mqtt://127.0.0.1:${world.mqttPort}`,
  ])
  const [code] = await ended
  expect(said.text).not.toContain('FAIL')
  expect(said.text).toMatch(/All 2\d steps passed/)
  expect(code).toBe(0)
})

test('the check of a platform says which steps fail', { timeout: 120_000 }, async () => {
  const { said, ended } = start('main.ts', ['check', `http://${world.address}`, '0000-0000-0001'])
  expect((await ended)[0]).toBe(1)
  expect(said.text).toContain('FAIL  The claim code gives the device its secret')
})

test(
  'an agent installs firmware, and then reports the running version',
  { timeout: 120_000 },
  async () => {
    const image = randomBytes(300_000)
    const server = createServer((_, response) => response.end(image))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    stops.push(async () => void server.close())
    const [program, version] = [join(folder, 'install.mjs'), join(folder, 'version')]
    await writeFile(version, '1.0.0')
    await writeFile(
      program,
      `import { writeFileSync } from 'node:fs'
      writeFileSync(${JSON.stringify(version)}, process.env.GROVE_VERSION)`,
    )
    run('main.ts', [
      '--id',
      'desk-4',
      '--state',
      join(folder, 'update.json'),
      '--code',
      await makeCode(1),
      '--firmware-file',
      version,
      '--on-update',
      `${process.execPath} ${program}`,
    ])
    const firmware = async () =>
      (await world.ask('GET', 'device/connection?deviceId=desk-4')).body?.firmware
    await vi.waitFor(async () => expect(await firmware()).toBe('1.0.0'), waiting)
    const sent = await world.ask('POST', 'device/command', {
      deviceId: 'desk-4',
      name: 'update',
      data: {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/image`,
        sha256: createHash('sha256').update(image).digest('hex'),
        size: image.length,
        version: '2.0.0',
      },
    })
    expect(sent.status).toBe(201)
    await vi.waitFor(async () => {
      const { body } = await world.ask('GET', `device/command/${sent.body.id}`)
      expect(body).toMatchObject({ state: 'succeeded', result: { isInstalled: true } })
    }, waiting)
    await vi.waitFor(async () => expect(await firmware()).toBe('2.0.0'), waiting)
  },
)
