import { wakeAwaited } from '../../../rollout/awaited.queries.ts'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { WebSocket, type RawData } from 'ws'
import { deviceSocketPath } from '@grove/device-protocol/limits'
import { readToDevice, type FromDevice, type ToDevice } from '@grove/device-protocol/message'
import type { Config } from '../../../../../core/config.ts'
import type { Store } from '../../../../../core/database/database.ts'
import type { Platform } from '../../../../../core/platform.ts'
import type { Stream } from '../../../../../core/stream/stream.ts'
import { startTestServer } from '../../../../../core/testing/test-platform.ts'
import { maple } from '../../../index.ts'
import type { MapleDb } from '../../../base/tables.ts'
import { ordinaryLimits, type ConnectionLimits } from '../device-connection.ts'
import { openBroker, type Broker } from '../broker/broker.ts'
import { openGateway } from '../gateway.ts'
import {
  acceptMqttSockets,
  listenMqtt,
  openMqttServer,
  type MqttListener,
  type MqttServer,
} from '../mqtt/listener.ts'
import type { KeyFiles } from '../tls/key-files.ts'
import { listenTls, type TlsListener } from '../tls/listener.ts'
import { acceptDevices } from '../web-socket.ts'
import { defineService, noSettings } from '../../../../../core/service.ts'

type Of<Kind extends ToDevice['t']> = Extract<ToDevice, { t: Kind }>

const textOf = (data: RawData) => (Buffer.isBuffer(data) ? data.toString() : '')

/** A platform with a gateway with short intervals, and devices that a test controls. */
export async function gatewayWorld({
  limits = {},
  admissionsPerSecond = 1000,
  maxOfProvider = 1000,
  brokerUrl,
  tls,
  handshakesPerSecond = 1000,
  checksPerSecond,
  maxUnknown,
  config,
  telemetry,
  stream,
  overrides,
  logMs = 20,
}: {
  limits?: Partial<ConnectionLimits>
  admissionsPerSecond?: number
  maxOfProvider?: number
  brokerUrl?: string
  /** The files of the port of TLS, which it then has. */
  tls?: KeyFiles
  handshakesPerSecond?: number
  checksPerSecond?: number
  maxUnknown?: number
  config?: Config
  /** A separate PostgreSQL for data points. */
  telemetry?: Store
  /** The stream in which messages wait for the database. */
  stream?: Stream
  overrides?: Partial<Platform>
  /** How often lines of the log that repeat are counted. */
  logMs?: number
} = {}) {
  let opened: ReturnType<typeof openGateway> | undefined
  let listener: MqttListener | undefined
  let secure: TlsListener | undefined
  let mqtt: MqttServer | undefined
  let broker: Broker | undefined
  const reasons: string[] = []
  const logged: object[] = []
  const gateway = defineService({
    name: 'gateway',
    settings: noSettings,
    open: (platform) => maple.open(platform),
    async register(app, context) {
      const note = (fields: unknown) => {
        logged.push(fields as object)
        reasons.push((fields as { reason?: string }).reason ?? '')
      }
      opened = openGateway({
        db: context.db,
        telemetry: context.telemetry,
        stream: context.stream,
        hub: context.devices,
        log: { info: note, warn: note },
        now: Date.now,
        onOffer: context.sessions.appear,
        onConnected: async (deviceIds) => {
          if (await wakeAwaited(context.db, deviceIds)) context.jobs.nudge()
        },
        sandbox: context.sandbox,
        telemetryDays: context.settings.telemetryDays,
        settings: {
          limits: { ...ordinaryLimits, ...limits },
          admissionsPerSecond,
          maxConnections: 1000,
          maxOfProvider,
          ...(checksPerSecond !== undefined && { checksPerSecond }),
          ...(maxUnknown !== undefined && { maxUnknown }),
          pace: { tickMs: 20, noticeMs: 50, touchMs: 1e8, leaseMs: 1e8, logMs },
        },
      })
      acceptDevices(app, context.config, opened)
      acceptMqttSockets(app, context.config, opened)
      mqtt = openMqttServer(opened)
      listener = await listenMqtt({ port: 0, host: '127.0.0.1' }, context.config, mqtt)
      if (tls)
        secure = await listenTls(
          { port: 0, host: '127.0.0.1', files: tls },
          {
            app,
            config: context.config,
            gateway: opened,
            mqtt,
            warn: (reason) => reasons.push(reason),
            watchMs: 50,
            handshakesPerSecond,
          },
        )
      broker =
        brokerUrl === undefined
          ? undefined
          : openBroker({
              url: brokerUrl,
              db: context.db,
              gatewayId: context.devices.gatewayId,
              gateway: opened,
              secret: context.sessionSecret,
              log: { info: note, warn: note },
              pace: { tickMs: 20, holdMs: 500, retryMs: 100 },
            })
      app.addHook('preClose', async () => {
        await opened?.close()
        await broker?.close()
        mqtt?.close()
        await listener?.close()
        await secure?.close()
      })
    },
  })
  const server = await startTestServer([maple, gateway], {
    env: { MQTT_URL: brokerUrl },
    ...(config && { config }),
    ...(telemetry && { telemetry }),
    ...(stream && { stream }),
    ...overrides,
  })
  const db: MapleDb = server.platform.db
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  const address = `127.0.0.1:${(server.app.server.address() as AddressInfo).port}`
  const headers = await server.bearer(['ADMIN'])
  // A notice of an earlier command would wait for the next poll.
  while (!server.platform.database.notices.isLive()) await setTimeout(20)
  const sockets: WebSocket[] = []
  const parts = () => {
    if (!opened) throw new Error('The gateway is not open.')
    return opened
  }

  const ask = async (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    payload?: object,
    as: Record<string, string> = headers,
  ) => {
    const response = await server.app.inject({
      method,
      url: `/api/maple/${path}`,
      headers: as,
      ...(payload && { payload }),
    })
    return { status: response.statusCode, body: response.body === '' ? null : response.json() }
  }

  /** A device with a secret. */
  async function device({
    state = 'accepted',
    id = `d-${randomUUID()}`,
    serviceId = null as string | null,
    as = headers,
  } = {}) {
    const made = await ask('POST', 'device', { id, name: id, type: 'iot', state, serviceId }, as)
    if (made.status !== 201) throw new Error(JSON.stringify(made.body))
    const { body } = await ask('POST', 'device/credential', { deviceId: id }, as)
    return { id, secret: body.secret as string, credentialId: body.id as string }
  }

  function connect(
    secret: string,
    more: Record<string, string> = {},
    to: { path?: string; autoPong?: boolean } = {},
  ) {
    const socket = new WebSocket(`ws://${address}${to.path ?? deviceSocketPath}`, {
      headers: { authorization: `Bearer ${secret}`, ...more },
    })
    sockets.push(socket)
    const heard: ToDevice[] = []
    socket.on('message', (data) => {
      const message = readToDevice(textOf(data))
      if (message) heard.push(message)
      socket.emit('heard')
    })
    socket.on('error', () => {})
    let isClosed = false
    const closed = new Promise<void>((resolve) => {
      socket.once('close', () => {
        isClosed = true
        resolve()
        socket.emit('heard')
      })
    })
    /** The first message of a kind that fits. */
    const until = async <Kind extends ToDevice['t']>(
      kind: Kind,
      fits: (message: Of<Kind>) => boolean = () => true,
    ): Promise<Of<Kind>> => {
      const isOne = (each: ToDevice): each is Of<Kind> => each.t === kind
      for (;;) {
        const found = heard.filter(isOne).find(fits)
        if (found) return found
        if (isClosed) throw new Error(`It was closed: ${JSON.stringify(heard)}`)
        await once(socket, 'heard')
      }
    }
    return {
      socket,
      heard,
      closed,
      refused: new Promise<{ status: number; retryAfter: string | undefined }>((resolve) => {
        socket.once('unexpected-response', (_, response) => {
          resolve({
            status: response.statusCode ?? 0,
            retryAfter: response.headers['retry-after'],
          })
          socket.terminate()
        })
      }),
      say: (message: FromDevice | string) =>
        socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
      until,
    }
  }

  /** One that was welcomed. */
  async function welcomed(
    secret: string,
    hello: Partial<Extract<FromDevice, { t: 'hello' }>> = {},
  ) {
    const link = connect(secret)
    await once(link.socket, 'open')
    link.say({ t: 'hello', v: 1, boot: 'boot-1', ...hello })
    return { ...link, welcome: await link.until('welcome') }
  }

  const stateOf = async (id: string) =>
    (await sql<{ state: string }>`select state from maple.device where id = ${id}`.execute(db))
      .rows[0]?.state

  return {
    ask,
    db,
    device,
    connect,
    welcomed,
    stateOf,
    server,
    address,
    mqttPort: listener?.port ?? 0,
    tlsPort: secure?.port ?? 0,
    headers,
    reasons,
    logged,
    devices: (await maple.open(server.platform)).devices,
    sessionSecret: (await maple.open(server.platform)).sessionSecret,
    gateway: parts,
    isAtBroker: () => broker?.isConnected() === true,
    disconnectAll() {
      for (const socket of sockets.splice(0)) socket.terminate()
    },
    close: async () => {
      for (const socket of sockets) socket.terminate()
      await server.close()
    },
  }
}

export type GatewayWorld = Awaited<ReturnType<typeof gatewayWorld>>
