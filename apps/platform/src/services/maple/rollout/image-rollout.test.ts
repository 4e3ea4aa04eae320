import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { BinaryImage } from '@grove/contract/maple/connect/binary-image'
import type { Rollout } from '@grove/contract/maple/rollout/rollout'
import {
  createImageClient,
  type ImageClient,
} from '../connect/binary-image/testing/image-client.ts'
import {
  signedImage,
  signingKey,
  type SigningKey,
} from '../connect/binary-image/testing/signed-image.ts'
import { gatewayWorld, type GatewayWorld } from '../connect/gateway/testing/gateway-world.ts'
import { runAgent } from '../connect/gateway/testing/run-agent.ts'
import {
  createRolloutClient,
  groupOf,
  planWith,
  type RolloutClient,
} from './testing/rollout-client.ts'

let world: GatewayWorld
let images: ImageClient
let rollouts: RolloutClient
let key: SigningKey
let folder = ''
beforeAll(async () => {
  world = await gatewayWorld()
  images = createImageClient(world.server, world.headers)
  rollouts = createRolloutClient(world.server, world.headers)
  key = signingKey('ecdsa-p256')
  await images.addKey(key.pem)
  folder = await mkdtemp(join(tmpdir(), 'grove-image-'))
})
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
  world.disconnectAll()
})
afterAll(async () => {
  await world.close()
  await rm(folder, { recursive: true, force: true })
})

const patience = { timeout: 30_000, interval: 50 }

type Version = [number, number, number]

async function imageOf(
  version: Version,
  { productId = null as string | null, states = ['verified', 'released'] } = {},
): Promise<BinaryImage> {
  const { id } = await images.uploaded(signedImage({ version, program: randomBytes(2_000) }, key))
  if (productId !== null) await images.send('PUT', `binary_images/${id}`, { productId })
  for (const state of states) expect((await images.move(id, state)).status).toBe(200)
  return (await images.send('GET', `binary_images?id=${id}`)).body.items[0]
}

const productOf = async (name: string): Promise<string> =>
  (await images.send('POST', 'products', { name })).body.id

const given = (imageId: string, devices: string[], plan: Parameters<typeof planWith>[0] = {}) => ({
  name: 'Firmware',
  program: { kind: 'image' as const, id: imageId, input: {} },
  targets: { devices },
  plan: planWith({ groups: [groupOf({ success: 0, errorShare: 100 })], ...plan }),
})

/** A connected device that reports a version, and reacts to an update as a test wants. */
async function deviceWith(firmware: string, productId: string | null = null) {
  const made = await world.device()
  if (productId !== null) await world.ask('PUT', `device?id=${made.id}`, { productId })
  let boots = 0
  const connect = (version: string, boot = `boot-${++boots}`) =>
    world.welcomed(made.secret, { firmware: version, boot })
  const link = await connect(firmware)
  const heard = async () => (await link.until('command', ({ name }) => name === 'update')) as Update
  const answer = (id: string, more: { ok: boolean; error?: string }) =>
    link.say({ t: 'result', boot: 'boot-1', seq: 1, id, d: null, ...more })
  return { ...made, link, connect, heard, answer }
}
interface Update {
  id: string
  d: { url: string; sha256: string; size: number; version: string }
}

const outcomes = async (id: string) =>
  (await rollouts.executions(id)).map(({ deviceId, state, cause }) => [deviceId, state, cause])

const running = (id: string, count: number) =>
  vi.waitFor(async () => expect((await rollouts.read(id)).groups[0]?.running).toBe(count), {
    timeout: 30_000,
    interval: 50,
  })

test('an agent downloads the image over the gateway, restarts with it, and a rollback restores the previous one @long', async () => {
  const first = await imageOf([1, 0, 0])
  const second = await imageOf([1, 2, 0])
  const [program, version] = [join(folder, 'install.mjs'), join(folder, 'version')]
  await writeFile(version, '0.9.0')
  await writeFile(
    program,
    `import { writeFileSync, copyFileSync } from 'node:fs'
    copyFileSync(process.argv.at(-1), ${JSON.stringify(join(folder, 'slot'))})
    writeFileSync(${JSON.stringify(version)}, process.env.GROVE_VERSION)`,
  )
  const code = await world.ask('POST', 'device/claim_code', {
    name: 'Batch',
    type: 'iot',
    state: 'accepted',
    mostUses: 1,
  })
  const files = ['--state', join(folder, 'agent.json'), '--firmware-file', version]
  const install = ['--on-update', `${process.execPath} ${program}`]
  const own = ['--id', 'pump-1', '--code', code.body.code]
  const agent = runAgent(world, 'main.ts', [...own, ...files, ...install])
  stops.push(agent.stop)
  const firmware = async () =>
    (await world.ask('GET', 'device/connection?deviceId=pump-1')).body?.firmware
  await vi.waitFor(async () => expect(await firmware()).toBe('0.9.0'), { timeout: 60_000 })

  const { id } = await rollouts.started(given(second.id, ['pump-1']))
  const finished = await rollouts.until(id, 'finished')
  expect(finished).toMatchObject({
    program: { name: second.name, version: '1.2.0' },
    groups: [{ total: 1, succeeded: 1, failed: 0 }],
  })
  expect(await firmware()).toBe('1.2.0')
  const file = await images.send('GET', `binary_images/${second.id}/file`)
  expect((await readFile(join(folder, 'slot'))).equals(file.response.rawPayload)).toBe(true)

  const back = await rollouts.control(id, 'rollback')
  expect(back).toMatchObject({ state: 'draft', program: { id: first.id, version: '1.0.0' } })
  await rollouts.control(back.id, 'start')
  await rollouts.until(back.id, 'finished')
  expect(await firmware()).toBe('1.0.0')
}, 180_000)

test('a device that refuses, one that reverts, and one that never returns each say so @long', async () => {
  const image = await imageOf([2, 0, 0])
  const refusing = await deviceWith('1.0.0')
  const reverting = await deviceWith('1.0.0')
  const lost = await deviceWith('1.0.0')
  const silent = await deviceWith('1.0.0')
  const current = await deviceWith('2.0.0')
  const all = [refusing, reverting, lost, silent, current]
  const { id } = await rollouts.started(
    given(
      image.id,
      all.map((each) => each.id),
    ),
  )
  const { d, id: command } = await refusing.heard()
  expect(d).toEqual({
    url: `/api/maple/device/image/${image.id}`,
    sha256: image.sha256,
    size: image.bytes,
    version: '2.0.0',
  })
  refusing.answer(command, { ok: false, error: 'The battery is low.' })
  reverting.answer((await reverting.heard()).id, { ok: true })
  lost.answer((await lost.heard()).id, { ok: true })
  await silent.heard()
  await running(id, 3)
  // It restarted, and reports the same as before.
  await reverting.connect('1.0.0')
  await running(id, 2)
  await sql`
    update maple.rollout_execution set started_at = started_at - interval '11 minutes'
    where rollout_id = ${id} and state = 'running'`.execute(world.db)
  const { groups } = await rollouts.until(id, 'finished')
  expect(groups).toMatchObject([{ succeeded: 1, failed: 2, timedOut: 2 }])
  expect(new Map((await outcomes(id)).map(([device, ...came]) => [device, came]))).toEqual(
    new Map<string, unknown>([
      [refusing.id, ['failed', 'image_refused The battery is low.']],
      [reverting.id, ['failed', 'image_old 1.0.0']],
      [lost.id, ['timed_out', 'image_lost']],
      [silent.id, ['timed_out', 'image_unanswered']],
      [current.id, ['succeeded', null]],
    ]),
  )
  // A device that already had the version got no command.
  expect(current.link.heard.some(({ t }) => t === 'command')).toBe(false)
}, 60_000)

test('a connection that breaks before the restart does not count as a rollback @long', async () => {
  const image = await imageOf([2, 1, 0])
  const device = await deviceWith('1.0.0')
  const { id } = await rollouts.started(given(image.id, [device.id]))
  device.answer((await device.heard()).id, { ok: true })
  await device.connect('1.0.0', 'boot-1')
  // Two polls at least.
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect((await rollouts.read(id)).groups[0]).toMatchObject({ running: 1, failed: 0 })
  await device.connect('2.1.0')
  expect((await rollouts.until(id, 'finished')).groups[0]).toMatchObject({ succeeded: 1 })
}, 60_000)

test('an offline device begins when it connects, and does not count as a failure before @long', async () => {
  const image = await imageOf([2, 2, 0])
  const { id: deviceId, secret } = await world.device()
  const { id } = await rollouts.started(given(image.id, [deviceId]))
  await vi.waitFor(
    async () =>
      expect(await rollouts.executions(id)).toMatchObject([{ state: 'queued', attempts: 1 }]),
    patience,
  )
  // The run that tried it is over: the next one waits for a minute, or for the device.
  await vi.waitFor(async () => {
    const { rows } = await sql`
      select from maple.job where name = 'rollout.run' and key = ${`${id} 0`}
        and state = 'queued' and due_at > now() + interval '5 seconds'`.execute(world.db)
    expect(rows).toHaveLength(1)
  }, patience)
  const link = await world.welcomed(secret, { firmware: '1.0.0' })
  const connectedAt = performance.now()
  const { id: command } = await link.until('command')
  expect(performance.now() - connectedAt).toBeLessThan(3_000)
  // Paused while the device is at work, it still ends.
  await rollouts.control(id, 'pause')
  link.say({ t: 'result', boot: 'boot-1', seq: 1, id: command, ok: true, d: null })
  await world.welcomed(secret, { firmware: '2.2.0', boot: 'boot-2' })
  await vi.waitFor(
    async () => expect((await rollouts.read(id)).groups[0]).toMatchObject({ succeeded: 1 }),
    { timeout: 30_000, interval: 100 },
  )
  await rollouts.control(id, 'resume', {})
  await rollouts.until(id, 'finished')
}, 90_000)

test('if a process dies before or after sending the command, it is given once @long', async () => {
  const image = await imageOf([2, 3, 0])
  const before = await deviceWith('1.0.0')
  const behind = await deviceWith('1.0.0')
  const { id } = await rollouts.started(given(image.id, [before.id, behind.id]))
  const first = await before.heard()
  const command = await behind.heard()
  // The first got nothing, as when the process died immediately; nobody owns them any more.
  await sql`
    update maple.rollout_execution set claim = gen_random_uuid(),
      start_id = case when device_id = ${behind.id} then start_id end
    where rollout_id = ${id}`.execute(world.db)
  const second = await before.link.until('command', (each) => each.id !== first.id)
  await running(id, 2)
  before.answer(second.id, { ok: true })
  behind.answer(command.id, { ok: true })
  for (const device of [before, behind]) await device.connect('2.3.0')
  expect((await rollouts.until(id, 'finished')).groups[0]).toMatchObject({ succeeded: 2 })
  expect((await rollouts.executions(id)).map(({ attempts }) => attempts)).toEqual([1, 1])
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from maple.device_command
    where device_id = ${behind.id}`.execute(world.db)
  expect(rows).toEqual([{ count: 1 }])
}, 60_000)

test('a failed device that is retried gets a new command @long', async () => {
  const image = await imageOf([2, 4, 0])
  const device = await deviceWith('1.0.0')
  const { id } = await rollouts.started(
    given(image.id, [device.id], { groups: [groupOf({ mostErrors: 1 })] }),
  )
  const first = await device.heard()
  device.answer(first.id, { ok: false, error: 'No room.' })
  await rollouts.until(id, 'paused')
  await rollouts.control(id, 'resume', { choice: 'retry' })
  const second = await device.link.until('command', (each) => each.id !== first.id)
  device.link.say({ t: 'result', boot: 'boot-1', seq: 2, id: second.id, ok: true, d: null })
  await device.connect('2.4.0')
  expect((await rollouts.until(id, 'finished')).groups[0]).toMatchObject({
    succeeded: 1,
    failed: 0,
  })
}, 60_000)

test('devices of another product are left out, and those in production get only released images', async () => {
  const [own, other] = [await productOf('Meter'), await productOf('Valve')]
  const image = await imageOf([3, 0, 0], { productId: own, states: ['verified'] })
  const developing = await deviceWith('1.0.0', own)
  const stray = await deviceWith('1.0.0', other)
  const bare = await deviceWith('1.0.0')
  const all = [developing, stray, bare].map((each) => each.id)
  const { id } = await rollouts.started(given(image.id, all))
  developing.answer((await developing.heard()).id, { ok: true })
  await developing.connect('3.0.0')
  await rollouts.until(id, 'finished')
  expect(new Map((await outcomes(id)).map(([device, ...came]) => [device, came]))).toEqual(
    new Map<string, unknown>([
      [developing.id, ['succeeded', null]],
      [stray.id, ['skipped', 'image_other']],
      [bare.id, ['skipped', 'image_other']],
    ]),
  )
  const forAny = await imageOf([3, 1, 0], { states: ['verified'] })
  const closed = await rollouts.started(given(forAny.id, [bare.id]))
  await rollouts.until(closed.id, 'finished')
  expect(await outcomes(closed.id)).toEqual([[bare.id, 'failed', 'image_closed']])
}, 60_000)

test('a rollout of an image is refused with the fault of the image', async () => {
  const raw = await imageOf([4, 0, 0], { states: [] })
  const refused = async (body: object) => {
    const answer = await rollouts.send<Rollout>('POST', '', body)
    return [answer.status, answer.body.code, answer.body.errors?.[0]?.path]
  }
  expect(await refused(given(raw.id, ['d']))).toEqual([409, 'binary_image_closed', undefined])
  await images.move(raw.id, 'verified')
  const fine = given(raw.id, ['d'])
  expect(await refused({ ...fine, program: { ...fine.program, input: { x: 1 } } })).toEqual([
    400,
    'invalid_request',
    'program.input.x',
  ])
  expect(await refused(given(raw.id, ['d'], { canaries: ['AB'.repeat(42)] }))).toEqual([
    400,
    'invalid_request',
    'plan.canaries',
  ])
})
