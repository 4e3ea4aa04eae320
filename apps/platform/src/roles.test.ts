import { once } from 'node:events'
import { connect } from 'node:net'
import { sql } from 'kysely'
import { WebSocket } from 'ws'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { softwareCard } from '@grove/secure-element/card/software-card'
import { deviceSocketPath } from '@grove/device-protocol/limits'
import { scriptExamples } from '@grove/contract/maple/program/script-examples.rules'
import { readToDevice, type ToDevice } from '@grove/device-protocol/message'
import { freePort } from './core/testing/free-port.ts'
import type { PlatformProcess } from './core/testing/platform-process.ts'
import { startCollector } from './core/testing/trace-collector.ts'
import { kill, openProcesses, type Member, type Processes } from './core/testing/processes.ts'
import { auth } from './services/auth/index.ts'
import { cedar } from './services/cedar/index.ts'
import { maple } from './services/maple/index.ts'

const waiting = { timeout: 20_000, interval: 50 }
/** How often a runner polls for jobs: one it was not notified of waits that long. */
const pollMs = 5000

// The embedded database has only one process.
describe.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')(
  'a process for calls, two for devices, one for jobs',
  () => {
    let world: Processes
    let web: PlatformProcess
    let gateways: PlatformProcess[]
    let runner: PlatformProcess
    let admin: Member
    let mqttPort = 0
    const sockets: WebSocket[] = []
    let collector: Awaited<ReturnType<typeof startCollector>>

    beforeAll(async () => {
      world = await openProcesses([auth, cedar, maple])
      collector = await startCollector()
      mqttPort = await freePort()
      const GROVE_SERVICES = 'auth,cedar,maple,gateway'
      const start = (GROVE_ROLES: string, more: Record<string, string> = {}) =>
        world.start({
          GROVE_SERVICES,
          GROVE_ROLES,
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
          OTEL_SERVICE_NAME: `grove-${GROVE_ROLES}`,
          OTEL_BSP_SCHEDULE_DELAY: '100',
          ...more,
        })
      // The same settings for all: only processes that accept devices open a port for them.
      web = await start('web', { GROVE_MQTT_PORT: String(mqttPort) })
      // A process that only accepts devices opens no keys, so it needs none.
      const withoutKeys = { GROVE_VAULT_KEY: '' }
      gateways = [await start('gateway', withoutKeys), await start('gateway', withoutKeys)]
      runner = await start('runner', { GROVE_MQTT_PORT: String(mqttPort) })
      admin = await world.member(web, 'ADMIN')
    }, 240_000)
    afterAll(async () => {
      for (const socket of sockets) socket.terminate()
      await world.close()
      await collector.close()
    }, 60_000)

    const ask = (method: string, path: string, body?: object) =>
      world.call(web, method, `/api/maple/${path}`, admin.authorization, body)
    const made = (path: string, body: object) =>
      world.made(web, `/api/maple/${path}`, admin.authorization, body)

    /** A device with a card, connected to a gateway. */
    async function device(id: string, { url }: PlatformProcess) {
      await made('device', { id, name: id, type: 'iot', state: 'accepted' })
      const { secret } = await made('device/credential', { deviceId: id })
      const card = softwareCard({ seed: id })
      const { cplc } = card.snapshot()
      expect((await ask('PUT', `device?id=${id}`, { cplc: [cplc] })).status).toBe(200)
      const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${deviceSocketPath}`, {
        headers: { authorization: `Bearer ${secret}` },
      })
      sockets.push(socket)
      const heard: ToDevice[] = []
      let seq = 0
      const say = (message: object) => socket.send(JSON.stringify(message))
      socket.on('message', (data: Buffer) => {
        const message = readToDevice(data.toString())
        if (!message) return
        heard.push(message)
        if (message.t === 'exchange')
          void card
            .transmit(readHex(message.data))
            .then((reply) => say({ t: 'reply', id: message.id, data: toHex(reply) }))
        if (message.t === 'command')
          say({
            t: 'result',
            boot: 'boot',
            seq: (seq += 1),
            id: message.id,
            ok: true,
            d: message.d,
          })
      })
      await once(socket, 'open')
      say({ t: 'hello', v: 1, boot: 'boot', elements: [cplc] })
      await expect.poll(() => heard[0]?.t, waiting).toBe('welcome')
      return { id, cplc, heard }
    }

    const select = (id: string) => ask('POST', `sessions/se/${id}/raw`, { command: '00A4040000' })

    test('each answers its own calls, and every process is monitored', async () => {
      for (const process of [web, ...gateways, runner])
        for (const path of ['/healthz', '/readyz', '/metrics'])
          expect((await fetch(process.url + path)).status).toBe(200)
      const statusOf = async ({ url }: PlatformProcess, path: string) =>
        (await fetch(url + path)).status
      for (const path of ['/api/maple/device', '/api/developer/product', '/api/user/info'])
        expect(await statusOf(web, path)).toBe(401)
      for (const [process, role] of [
        [gateways[0], 'gateway'],
        [runner, 'runner'],
      ] as const)
        for (const path of [
          '/api/maple/device',
          '/api/developer/product',
          '/api/user/info',
          '/api/openapi.json',
        ]) {
          const answer = await fetch(String(process?.url) + path)
          expect([answer.status, await answer.json()]).toMatchObject([
            404,
            {
              code: 'not_found',
              detail: `There is nothing at GET ${path}. This process serves no calls (GROVE_ROLES is ${role}).`,
            },
          ])
        }
      // What devices fetch, and where they connect.
      const image = '/api/maple/device/image/00000000-0000-4000-8000-000000000000'
      expect(await statusOf(gateways[0] ?? web, image)).toBe(401)
      const enters = async ({ url }: PlatformProcess) => {
        const socket = new WebSocket(url.replace(/^http/, 'ws') + deviceSocketPath)
        socket.on('error', () => {})
        const [, answer] = await once(socket, 'unexpected-response')
        return answer.statusCode
      }
      expect(await enters(gateways[0] ?? web)).toBe(401)
      for (const process of [web, runner]) expect(await enters(process)).toBe(404)
      const socket = connect(mqttPort, '127.0.0.1')
      expect((await once(socket, 'error'))[0]).toMatchObject({ code: 'ECONNREFUSED' })
    })

    test('a device at a gateway is shown, commanded and reached from calls', async () => {
      const { id, cplc, heard } = await device('first', gateways[0] ?? web)
      const seen = async () => (await ask('GET', `device/connection?deviceId=${id}`)).body.state
      await expect.poll(seen, waiting).toBe('connected')

      const command = await made('device/command', { deviceId: id, name: 'echo', data: 7 })
      await expect
        .poll(async () => (await ask('GET', `device/command/${command.id}`)).body, waiting)
        .toMatchObject({ state: 'succeeded', result: 7 })

      const session = await made('sessions/se', { cplc })
      expect(session.transport).toBe('device')
      expect((await select(session.id)).body).toMatchObject({
        state: 'done',
        items: [{ statusWord: '9000' }],
      })
      await ask('POST', `sessions/se/${session.id}/end`)
      await expect.poll(() => heard.at(-1)?.t, waiting).toBe('end')
    })

    test('a trace leads from a call through its job to the process with the device', async () => {
      const { cplc } = await device('traced', gateways[1] ?? web)
      const script = await made('scripts', { name: 'Traced', draft: scriptExamples[0].code })
      const path = `scripts/${script.id}/run`
      const { items } = await made(path, { elements: [cplc] })
      const run = async () => (await ask('GET', `${path}/${items[0].id}`)).body
      await expect.poll(async () => (await run()).state, waiting).toBe('succeeded')

      const found = (service: string, name: RegExp) =>
        collector.spans.filter((span) => span.service === service && name.test(span.name))
      const calls = () => found('grove-web', /^POST \/api\/maple\/scripts\/:id\/run$/)
      await expect
        .poll(calls, waiting)
        .toMatchObject([
          { attributes: { 'http.response.status_code': 201, 'url.path': `/api/maple/${path}` } },
        ])
      const traceId = calls()[0]?.traceId
      for (const [service, name] of [
        ['grove-web', /^INSERT$/],
        ['grove-runner', /^job /],
        ['grove-gateway', /^exchange/],
      ] as const)
        await expect
          .poll(() => found(service, name).map((span) => span.traceId), waiting)
          .toContain(traceId)
      // Neither statement values nor tokens.
      expect(collector.raw()).not.toContain(admin.authorization.slice('Bearer '.length))
      expect(collector.raw()).not.toContain(admin.email)
    }, 60_000)

    test('a session ends at its device when the process that runs it is killed @long', async () => {
      const { cplc, heard } = await device('left', gateways[1] ?? web)
      const other = await world.start({
        GROVE_SERVICES: 'auth,cedar,maple,gateway',
        GROVE_ROLES: 'web',
      })
      const at = (path: string, body: object) =>
        world.made(other, `/api/maple/${path}`, admin.authorization, body)
      const { id } = await at('sessions/se', { cplc })
      await at(`sessions/se/${id}/raw`, { command: '00A4040000' })
      await kill(other)
      expect(heard.at(-1)?.t).toBe('exchange')
      await sql`update maple.session_process set alive_until = now()
        where id in (select process_id from maple.session_lease where session_id = ${id})`.execute(
        world.db,
      )
      await expect.poll(() => heard.at(-1)?.t, waiting).toBe('end')
    }, 60_000)

    test('jobs and handlers run only in the runner @long', async () => {
      const handler = await made('cloud_handlers', {
        name: 'When it comes',
        trigger: { type: 'event', events: ['device.online'], kinds: [], match: [] },
        code: 'event.type',
        hosts: [],
      })
      expect((await ask('POST', `cloud_handlers/${handler.id}/deploy`, {})).status).toBe(200)
      await kill(runner)
      const { cplc } = await device('second', gateways[1] ?? web)
      const script = await made('scripts', { name: 'Identify', draft: scriptExamples[0].code })
      const { items } = await made(`scripts/${script.id}/run`, { elements: [cplc] })
      const job = async () => (await ask('GET', `scripts/${script.id}/run/${items[0].id}`)).body
      const run = async () => (await ask('GET', `cloud_handlers/${handler.id}/run`)).body.items[0]
      await expect.poll(async () => (await run())?.state, waiting).toBe('queued')
      await new Promise((resolve) => setTimeout(resolve, pollMs + 1000))
      expect((await job()).state).toBe('waiting')
      expect((await run()).state).toBe('queued')

      runner = await world.start({ GROVE_SERVICES: 'auth,cedar,maple', GROVE_ROLES: 'runner' })
      await expect.poll(async () => (await run()).state, waiting).toBe('succeeded')
      // It reached the card through the gateway.
      await expect.poll(async () => (await job()).state, waiting).toBe('succeeded')
      expect((await job()).value).toBe(JSON.stringify(cplc))
    }, 90_000)

    test('a job queued by a call starts before the runner’s next poll', async () => {
      const { id } = await made('scripts', { name: 'Count', draft: '1 + 1' })
      const { cplc } = await device('third', gateways[0] ?? web)
      for (let turn = 0; turn < 3; turn += 1) {
        const { items } = await made(`scripts/${id}/run`, { elements: [cplc] })
        const state = async () => (await ask('GET', `scripts/${id}/run/${items[0].id}`)).body.state
        await expect.poll(state, { timeout: pollMs / 2, interval: 50 }).toBe('succeeded')
      }
    }, 60_000)
  },
)
