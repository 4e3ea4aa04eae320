import { readInteger, readText, type Environment } from '../../core/environment.ts'
import { openStore } from '../../core/database/database.ts'
import { openPostgresPool } from '../../core/database/pools.ts'
import type { Platform } from '../../core/platform.ts'
import { defineService } from '../../core/service.ts'
import { Kysely, PostgresDialect } from 'kysely'
import { runsSessions } from '../../core/roles.ts'
import { registerDeviceDownload } from './connect/binary-image/binary-image.routes.ts'
import { apiVersion } from './context.ts'
import { maple } from './index.ts'
import { wakeAwaited } from './rollout/awaited.queries.ts'
import type { MapleTables } from './base/tables.ts'
import { telemetryStore } from './connect/telemetry/telemetry-store.ts'
import { openBroker } from './connect/gateway/broker/broker.ts'
import { readCardReplyMs } from './base/settings.ts'
import { ordinaryLimits } from './connect/gateway/device-connection.ts'
import { openGateway, type GatewaySettings } from './connect/gateway/gateway.ts'
import { measureDevices } from './connect/gateway/measure-devices.ts'
import {
  acceptMqttSockets,
  listenMqtt,
  openMqttServer,
  type MqttSettings,
} from './connect/gateway/mqtt/listener.ts'
import { listenTls, type TlsSettings } from './connect/gateway/tls/listener.ts'
import { StartupError } from '../../core/startup-error.ts'
import { acceptDevices } from './connect/gateway/web-socket.ts'

/**
 * The devices' endpoint. It works on Maple's tables, and runs in Maple's process or in separate ones:
 * `GROVE_SERVICES=gateway`.
 */
export const gateway = defineService({
  name: 'gateway',
  role: 'gateway',
  settings: (env): GatewaySettings & { mqtt: MqttSettings; tls: TlsSettings | undefined } => ({
    tls: readTls(env),
    mqtt: {
      // The port of MQTT over TCP without TLS; it has none unless it is set.
      port: readOptionalPort(env, 'GROVE_MQTT_PORT'),
      host: readText(env, 'GROVE_MQTT_HOST') ?? '127.0.0.1',
    },
    limits: { ...ordinaryLimits, replyMs: readCardReplyMs(env) },
    // Devices admitted in a second; after a restart the others connect a little later.
    admissionsPerSecond: readInteger(env, 'GROVE_DEVICE_ADMISSIONS', {
      least: 1,
      most: 10_000,
      fallback: 500,
    }),
    // Maximum devices of one process.
    maxConnections: readInteger(env, 'GROVE_DEVICE_CONNECTIONS', {
      least: 1,
      most: 1_000_000,
      fallback: 50_000,
    }),
    // Maximum devices of one service provider over all processes, so that others have room.
    maxOfProvider: readInteger(env, 'GROVE_DEVICE_CONNECTIONS_OF_PROVIDER', {
      least: 1,
      most: 1_000_000,
      fallback: 25_000,
    }),
    pace: { tickMs: 250, noticeMs: 1000, touchMs: 60_000, leaseMs: 10_000 },
  }),
  open: async (platform, settings) => {
    const opened = await maple.open(platform)
    const { devices, sessions, sandbox, sessionSecret, relay, jobs, settings: ofMaple } = opened
    const { config, now, services, stream } = platform
    const hasMaple = services.includes(maple.name)
    // If it runs no sessions, it carries the exchanges of those that other processes run.
    const onOffer = hasMaple && runsSessions(config.roles) ? sessions.appear : async () => {}
    const pool = openOwnPool(platform)
    return {
      settings,
      config,
      now,
      stream,
      hub: devices,
      onOffer,
      onConnected: async (deviceIds: readonly string[]) => {
        if (await wakeAwaited(pool.db, deviceIds)) jobs.nudge()
      },
      sandbox,
      relay,
      /** Only the devices' downloads; if Maple serves calls here, that includes them. */
      download: hasMaple && config.roles.includes('web') ? undefined : opened,
      telemetryDays: ofMaple.telemetryDays,
      broker: ofMaple.brokerUrl && { url: ofMaple.brokerUrl, secret: sessionSecret },
      ...pool,
    }
  },
  async register(app, { config, closePool, broker, relay, download, ...parts }) {
    const opened = openGateway({ ...parts, log: app.log })
    measureDevices(app.metrics, opened)
    acceptDevices(app, config, opened)
    if (download) {
      app.api = { name: maple.name, version: apiVersion }
      registerDeviceDownload(app, download)
    }
    relay.start((fields, message) => app.log.warn(fields, message))
    acceptMqttSockets(app, config, opened)
    const { mqtt, tls } = parts.settings
    const server = openMqttServer(opened)
    const warn = (reason: string) =>
      app.log.warn({ reason }, 'The new certificate for devices cannot be used')
    const listeners = [
      mqtt.port === undefined ? undefined : await listenMqtt(mqtt, config, server),
      tls && (await listenTls(tls, { app, config, gateway: opened, mqtt: server, warn })),
    ]
    const { db, hub } = parts
    const throughBroker = broker
      ? openBroker({ ...broker, db, gatewayId: hub.gatewayId, gateway: opened, log: app.log })
      : undefined
    app.addHook('onClose', () => parts.sandbox.close())
    app.addHook('preClose', async () => {
      await opened.close()
      relay.close()
      await throughBroker?.close()
      server.close()
      for (const listener of listeners) await listener?.close()
      await closePool()
    })
  },
})

/**
 * Separate pools if there is a database server, so that a flood of devices does not take people's
 * connections.
 */
function openOwnPool({ config, db, database, telemetry }: Platform) {
  if (config.databaseUrl === undefined || database.engine === 'pglite')
    return {
      db: db.withTables<MapleTables>(),
      telemetry: telemetryStore(db.withTables(), telemetry?.db.withTables()),
      closePool: async () => {},
    }
  const connections = config.deviceDatabaseConnections
  const pool = openPostgresPool(config.databaseUrl, {
    connections,
    isPooled: config.databaseDirectUrl !== undefined,
  })
  const own = new Kysely<MapleTables>({ dialect: new PostgresDialect({ pool }) })
  const store =
    config.telemetryUrl === undefined ? undefined : openStore(config.telemetryUrl, { connections })
  return {
    db: own,
    telemetry: telemetryStore(own, store?.db.withTables()),
    closePool: async () => {
      await own.destroy()
      await store?.close()
    },
  }
}

/** The TLS port; disabled unless set. */
function readTls(env: Environment): TlsSettings | undefined {
  const port = readOptionalPort(env, 'GROVE_DEVICE_TLS_PORT')
  if (port === undefined) return undefined
  const certificate = readText(env, 'GROVE_DEVICE_TLS_CERT')
  const key = readText(env, 'GROVE_DEVICE_TLS_KEY')
  if (certificate === undefined || key === undefined)
    throw new StartupError(
      'GROVE_DEVICE_TLS_PORT needs GROVE_DEVICE_TLS_CERT and GROVE_DEVICE_TLS_KEY: files in PEM with the certificate that devices are shown, and its key.',
    )
  return {
    port,
    host: readText(env, 'GROVE_DEVICE_TLS_HOST') ?? '127.0.0.1',
    files: { certificate, key },
  }
}

const readOptionalPort = (env: Environment, name: string): number | undefined =>
  readText(env, name) === undefined
    ? undefined
    : readInteger(env, name, { least: 1, most: 65_535, fallback: 1883 })
