import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { inject } from 'vitest'
import { migrationsOf } from '../../../../../core/service.ts'
import { freePort } from '../../../../../core/testing/free-port.ts'
import {
  startPlatform,
  type PlatformProcess,
} from '../../../../../core/testing/platform-process.ts'
import { testDatabase } from '../../../../../core/testing/test-database.ts'
import { maple } from '../../../index.ts'
import type { MapleDb } from '../../../base/tables.ts'
import type { KeyFiles } from '../tls/key-files.ts'

/**
 * Maple and its gateway in a child process, on PostgreSQL: for what must not crash a process, or must
 * survive a crash. Its ports stay the same after a restart.
 */
export async function livePlatform(tls?: KeyFiles) {
  const database = await testDatabase(migrationsOf([maple]))
  const db: MapleDb = database.db
  const folder = await mkdtemp(join(tmpdir(), 'grove-live-'))
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  const [port, mqttPort, tlsPort] = [await freePort(), await freePort(), await freePort()]
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const env = {
    DATABASE_URL: Object.assign(new URL(inject('postgresUrl')), { pathname: rows[0]?.name }).href,
    GROVE_AUTH_PUBLIC_KEY: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    GROVE_SECRET: randomBytes(32).toString('hex'),
    GROVE_DATA: folder,
    GROVE_SERVICES: 'maple,gateway',
    GROVE_PORT: String(port),
    GROVE_MQTT_PORT: String(mqttPort),
    ...(tls && {
      GROVE_DEVICE_TLS_PORT: String(tlsPort),
      GROVE_DEVICE_TLS_CERT: tls.certificate,
      GROVE_DEVICE_TLS_KEY: tls.key,
    }),
  }
  let running: PlatformProcess | undefined = await startPlatform(env)

  return {
    db,
    address: `127.0.0.1:${port}`,
    mqttPort,
    tlsPort,
    isAlive: () => running !== undefined && running.child.exitCode === null,
    output: () => running?.output() ?? '',
    /** A device with a secret. */
    async device(state = 'accepted') {
      const [id, secret] = [`d-${randomUUID()}`, randomBytes(32).toString('base64url')]
      const hash = createHash('sha256').update(secret).digest('hex')
      await sql`
        insert into maple.device (id, name, name_key, type, state)
        values (${id}, ${id}, ${id}, 'iot', ${state}::maple.device_state)`.execute(db)
      await sql`
        insert into maple.device_credential (id, device_id, secret_hash)
        values (${randomUUID()}, ${id}, ${hash})`.execute(db)
      return { id, secret }
    },
    /** Ends it as a power cut does. */
    async kill() {
      const killed = running
      running = undefined
      if (!killed) return
      killed.child.kill('SIGKILL')
      await once(killed.child, 'exit')
    },
    async start() {
      running = await startPlatform(env)
    },
    async close() {
      await running?.stop()
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type LivePlatform = Awaited<ReturnType<typeof livePlatform>>
