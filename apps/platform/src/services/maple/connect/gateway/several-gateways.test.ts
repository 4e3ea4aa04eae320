import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect, createServer as listen, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { deviceSocketPath } from '@grove/device-protocol/limits'
import { migrationsOf } from '../../../../core/service.ts'
import { startPlatform, type PlatformProcess } from '../../../../core/testing/platform-process.ts'
import { testDatabase } from '../../../../core/testing/test-database.ts'
import { maple } from '../../index.ts'
import type { MapleDb } from '../../base/tables.ts'
import { startAgent } from './testing/run-agent.ts'

const waiting = { timeout: 30_000, interval: 100 }

// The embedded database has one process.
describe.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')('several gateways', () => {
  const ends: (() => unknown)[] = []
  let db: MapleDb
  let folder = ''
  let authorization = ''
  let people: PlatformProcess
  let gateways: PlatformProcess[]
  let start: (services: string) => Promise<PlatformProcess>

  const atEnd = (end: () => unknown) => void ends.unshift(end)
  const portOf = async (server: Server) => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    atEnd(() => server.close())
    return (server.address() as AddressInfo).port
  }

  /** The address of an authentication service that has signed a token of an administrator. */
  async function openKeys(): Promise<string> {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const key = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }
    const token = await new SignJWT({ provider: 'grove', roles: ['ADMIN'] })
      .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'at+jwt' })
      .setSubject(randomUUID())
      .setIssuer('grove')
      .setAudience('grove')
      .setIssuedAt()
      .setExpirationTime('10m')
      .sign(privateKey)
    authorization = `Bearer ${token}`
    const server = createServer((_, response) => response.end(JSON.stringify({ keys: [key] })))
    return `http://127.0.0.1:${await portOf(server)}/keys`
  }

  beforeAll(async () => {
    const database = await testDatabase(migrationsOf([maple]))
    atEnd(database.close)
    db = database.db
    folder = await mkdtemp(join(tmpdir(), 'grove-gateways-'))
    atEnd(() => rm(folder, { recursive: true, force: true }))
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
    const env = {
      DATABASE_URL: Object.assign(new URL(inject('postgresUrl')), { pathname: rows[0]?.name }).href,
      GROVE_AUTH_JWKS_URL: await openKeys(),
      GROVE_SECRET: randomBytes(32).toString('hex'),
    }
    start = async (GROVE_SERVICES) => {
      const GROVE_DATA = join(folder, randomUUID())
      const started = await startPlatform({ ...env, GROVE_SERVICES, GROVE_DATA })
      atEnd(started.stop)
      return started
    }
    const [one, ...others] = await Promise.all(['maple', 'gateway', 'gateway'].map(start))
    if (!one) throw new Error('Nothing was started.')
    people = one
    gateways = others
  }, 180_000)
  afterAll(async () => {
    for (const end of ends) await end()
  }, 60_000)

  async function ask(method: 'GET' | 'POST', path: string, body?: object) {
    const response = await fetch(`${people.url}/api/maple/device${path}`, {
      method,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(await response.text())
    return response.json()
  }

  /** Forwards each connection to the next live gateway, like a load balancer. */
  async function openBalancer(): Promise<string> {
    let turn = 0
    const server = listen((socket) => {
      const ports = gateways.map(({ url }) => Number(new URL(url).port))
      const pass = (left: number) => {
        const port = ports[turn++ % ports.length] ?? 0
        const to = connect(port, '127.0.0.1')
        const end = () => {
          socket.destroy()
          to.destroy()
        }
        const next = () => (left > 0 ? pass(left - 1) : end())
        to.once('error', next)
        to.once('connect', () => {
          to.off('error', next).on('error', end).once('close', end)
          socket.once('close', end).pipe(to).pipe(socket)
        })
      }
      socket.on('error', () => {})
      pass(ports.length - 1)
    })
    return `http://127.0.0.1:${await portOf(server)}`
  }

  /** The reference agent in a child process, sending twenty messages a second. */
  async function startDevice(id: string, platform: string) {
    await ask('POST', '', { id, name: id, type: 'iot', state: 'accepted' })
    const { secret } = await ask('POST', '/credential', { deviceId: id })
    const args = ['--platform', platform, '--id', id, '--every', '0.05']
    const agent = startAgent('main.ts', [...args, '--state', join(folder, `${id}.json`)], {
      GROVE_DEVICE_SECRET: secret,
    })
    atEnd(() => agent.stop('SIGKILL'))
    await vi.waitFor(async () => expect((await presence(id)).state).toBe('online'), waiting)
  }

  async function presence(id: string) {
    const { rows } = await sql<{ state: string; gateway: string | null; ending: string | null }>`
      select device.state, presence.gateway_id as gateway,
        (select end_reason from maple.device_session as session
          where session.device_id = device.id order by opened_at desc limit 1) as ending
      from maple.device as device
      left join maple.device_presence as presence on presence.device_id = device.id
      where device.id = ${id}`.execute(db)
    return { state: rows[0]?.state, gateway: rows[0]?.gateway, ending: rows[0]?.ending }
  }

  /** The messages of a device in its only boot: none is missing, none is duplicated. */
  async function storedOf(id: string): Promise<number> {
    const { rows } = await sql<{ last: number; count: number; different: number; lost: number }>`
      select stream.seq::int as last, stream.lost::int as lost,
        count(*)::int as count, count(distinct message.seq)::int as different
      from maple.device_stream as stream
      join maple.device_message as message using (device_id, boot)
      where stream.device_id = ${id} group by stream.seq, stream.lost`.execute(db)
    const last = rows[0]?.last ?? 0
    expect(rows).toEqual([{ last, count: last, different: last, lost: 0 }])
    return last
  }

  const command = async (deviceId: string, data: unknown): Promise<string> =>
    (await ask('POST', '/command', { deviceId, name: 'echo', data })).id
  const answered = (id: string, result: unknown) =>
    vi.waitFor(async () => {
      const found = await ask('GET', `/command/${id}`)
      expect(found).toMatchObject({ state: 'succeeded', result })
    }, waiting)

  test(
    'a device that connects to another one is disconnected from the first at once',
    { timeout: 60_000 },
    async () => {
      const [first, second] = gateways
      if (!first || !second) throw new Error('There are no gateways.')
      await ask('POST', '', { id: 'two-places', name: 'x', type: 'iot', state: 'accepted' })
      const { secret } = await ask('POST', '/credential', { deviceId: 'two-places' })
      const enter = async ({ url }: PlatformProcess) => {
        const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${deviceSocketPath}`, {
          headers: { authorization: `Bearer ${secret}` },
        })
        atEnd(() => socket.terminate())
        const heard: { t: string; code?: string }[] = []
        socket.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString())))
        await once(socket, 'open')
        socket.send('{"t":"hello","v":1,"boot":"x"}')
        await vi.waitFor(() => expect(heard[0]?.t).toBe('welcome'), waiting)
        return heard
      }
      const before = await enter(first)
      await enter(second)
      // Without a word it is found when signs of life are written, up to a minute later.
      await vi.waitFor(() => expect(before.at(-1)).toMatchObject({ t: 'bye', code: 'replaced' }), {
        timeout: 10_000,
        interval: 50,
      })
    },
  )

  test(
    'one is killed: its devices reconnect to the other, and nothing is lost or duplicated',
    { timeout: 240_000 },
    async () => {
      const balancer = await openBalancer()
      await startDevice('moves', balancer)
      await startDevice('stays', balancer)
      const [first, second] = [(await presence('moves')).gateway, (await presence('stays')).gateway]
      expect(first).not.toBe(second)
      const killed = gateways[0]
      if (!killed) throw new Error('There is no gateway.')
      // It reaches only one gateway.
      await startDevice('leaves', killed.url)
      expect((await presence('leaves')).gateway).toBe(first)
      for (const id of ['moves', 'stays', 'leaves']) await answered(await command(id, id), id)

      const underWay = await Promise.all(
        Array.from({ length: 10 }, (_, n) => command('moves', `under way ${n}`)),
      )
      const before = await storedOf('moves')
      killed.child.kill('SIGKILL')
      await once(killed.child, 'exit')
      await vi.waitFor(async () => expect((await presence('moves')).gateway).toBe(second), waiting)
      for (const [n, id] of underWay.entries()) await answered(id, `under way ${n}`)
      for (const id of ['moves', 'stays']) await answered(await command(id, 'after'), 'after')
      await vi.waitFor(
        async () => expect(await storedOf('moves')).toBeGreaterThan(before + 40),
        waiting,
      )
      await storedOf('stays')

      // It is not yet known whether the others went offline; 75 seconds later they did.
      const age = (seconds: number) =>
        sql`
        update maple.gateway set seen_at = now() - make_interval(secs => ${seconds})
        where id = ${first}`.execute(db)
      await age(50)
      const seen = async () => (await ask('GET', '/connection?deviceId=leaves')).state
      expect(await seen()).toBe('unknown')
      expect((await presence('leaves')).state).toBe('online')
      await age(76)
      await vi.waitFor(
        async () =>
          expect(await presence('leaves')).toEqual({
            state: 'offline',
            gateway: null,
            ending: 'lost',
          }),
        waiting,
      )
      expect(await seen()).toBe('away')
      expect((await presence('moves')).state).toBe('online')
      const between = await storedOf('moves')

      // The other one in its turn, with a new one in place of the first.
      gateways = [await start('gateway'), ...gateways.slice(1)]
      const other = gateways[1]
      other?.child.kill('SIGKILL')
      await vi.waitFor(
        async () => expect([first, second]).not.toContain((await presence('moves')).gateway),
        waiting,
      )
      await answered(await command('moves', 'at the third'), 'at the third')
      await vi.waitFor(
        async () => expect(await storedOf('moves')).toBeGreaterThan(between + 40),
        waiting,
      )
    },
  )
})
