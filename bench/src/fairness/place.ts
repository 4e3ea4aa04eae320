import { randomBytes, randomUUID } from 'node:crypto'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { WebSocket } from 'ws'
import { openDatabase } from '../../../apps/platform/src/core/database/database.ts'
import { openCertificates } from '../../../apps/platform/src/services/maple/connect/gateway/testing/openssl.ts'
import { insertRun } from '../../../apps/platform/src/services/maple/program/cloud-handler/handler-run.queries.ts'
import type { MapleDb, MapleTables } from '../../../apps/platform/src/services/maple/base/tables.ts'
import type { DeviceImport } from '@grove/contract/maple/fleet/device-import'
import type { BenchContext } from '../support/bench-context.ts'
import { createSend, jsonOf, type Send } from '../support/http-client.ts'
import { startPlatform, type Environment, type ServerProcess } from '../support/server-process.ts'
import { createSignIn } from '../support/sign-in.ts'

const imports = '/api/maple/device/import'
const handlers = '/api/maple/cloud_handlers'
export const scripts = '/api/maple/scripts'
/** The flooding provider, and its neighbour. */
export const crowd = 'bench-crowd'
export const neighbour = 'bench-neighbour'
/** The neighbour's device has another IP address than the flood. */
export const neighbourAddress = '127.0.0.2'
/** How long a delivery of the flood may take: waiting ones are next. */
export const runMs = 15_000

export interface Place {
  bench: BenchContext
  platform: ServerProcess
  db: MapleDb
  send: Send
  ask: <Body>(method: 'GET' | 'POST', path: string, body?: object) => Promise<Body>
  signIn: () => Promise<{ authorization: string }>
  /** A port that accepts connections and stays silent. */
  silentPort: number
  /** Where devices connect with TLS. */
  tlsPort: number
}

/** The whole platform in one process on PostgreSQL, with two service providers. */
export async function openPlace(
  bench: BenchContext,
  database: { DATABASE_URL: string; GROVE_DATA: string },
): Promise<Place> {
  const silentPort = await openSilentPort(bench)
  const certificates = openCertificates()
  bench.atEnd(async () => certificates.close())
  const shown = certificates.makeRoot('localhost')
  const tlsPort = await freePort()
  const env: Environment = {
    ...database,
    GROVE_LOG: 'error',
    GROVE_CHANGES_PER_MINUTE: '0',
    GROVE_EGRESS_ALLOW: `127.0.0.1:${silentPort}`,
    GROVE_PREVIEW_PORT: '0',
    GROVE_DEVICE_TLS_PORT: `${tlsPort}`,
    GROVE_DEVICE_TLS_CERT: shown.cert,
    GROVE_DEVICE_TLS_KEY: shown.key,
  }
  const platform = await startPlatform(bench, env)
  const own = await openDatabase({ url: database.DATABASE_URL, folder: database.GROVE_DATA })
  bench.atEnd(own.close)
  const db = own.db.withTables<MapleTables>()
  for (const id of [crowd, neighbour])
    await sql`
      insert into maple.service (id, name, name_key) values (${id}, ${id}, ${id})
      on conflict do nothing`.execute(db)
  const send = createSend(platform.url)
  const signIn = createSignIn(send, 'admin')
  const ask = async <Body>(method: 'GET' | 'POST', path: string, body?: object) => {
    const answer = await send(method, path, { headers: await signIn(), ...(body && { body }) })
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.body.toString()}`)
    return jsonOf(answer) as Body
  }
  return { bench, platform, db, send, ask, signIn, silentPort, tlsPort }
}

async function openSilentPort(bench: BenchContext): Promise<number> {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve))
  bench.atEnd(async () => void silent.close())
  return (silent.address() as AddressInfo).port
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => void server.close(resolve))
  return port
}

/** Waits for a condition; the caller measures the time. */
export async function until(isSo: () => Promise<boolean>, ms = 120_000): Promise<void> {
  const late = performance.now() + ms
  while (!(await isSo())) {
    if (performance.now() > late) throw new Error('What was waited for did not come.')
    await pause(10)
  }
}

/** A deployed handler of a service provider. */
export async function makeHandler({ ask, db }: Place, serviceId: string, code: string) {
  const { id } = await ask<{ id: string }>('POST', handlers, {
    name: randomUUID(),
    trigger: { type: 'webhook', proof: 'token' },
    code,
    hosts: ['127.0.0.1', '*.example.com', 'example.com'],
    limits: { milliseconds: runMs, calls: 10, kilobytes: 10, attempts: 1 },
  })
  await sql`update maple.cloud_handler set service_id = ${serviceId} where id = ${id}`.execute(db)
  await ask('POST', `${handlers}/${id}/deploy`, {})
  return id
}

export const deliver = ({ db }: Place, handlerId: string) =>
  insertRun(db, {
    handlerId,
    source: 'webhook',
    type: 'webhook',
    key: randomUUID(),
    event: {},
    mostAttempts: 1,
  })

/** Uploads a device file for one service provider. */
export async function uploadImport(
  { platform, signIn, db }: Place,
  serviceId: string,
  rows: number,
): Promise<DeviceImport> {
  const mark = randomUUID().slice(0, 8)
  const lines = Array.from({ length: rows }, (_, n) => `${mark}-${n},Turnstile ${n % 997},iot`)
  const body = new FormData()
  body.append('file', new Blob([`id,name,type\n${lines.join('\n')}\n`]), 'fleet.csv')
  const headers = await signIn()
  const answer = await fetch(platform.url + imports, { method: 'POST', body, headers })
  const made = (await answer.json()) as DeviceImport
  await sql`update maple.device_import set service_id = ${serviceId} where id = ${made.id}`.execute(
    db,
  )
  return made
}

export const checkImport = ({ ask }: Place, { id, mapping }: DeviceImport) =>
  ask('POST', `${imports}/check`, { id, mapping, existing: 'update' })

export const cancelImport = ({ ask }: Place, id: string) => ask('POST', `${imports}/cancel`, { id })

export const stateOfImport = async ({ db }: Place, id: string) =>
  (await sql<{ state: string }>`select state from maple.device_import where id = ${id}`.execute(db))
    .rows[0]?.state

export async function makeCard({ ask }: Place, serviceId: string): Promise<string> {
  const card = { name: randomUUID(), serviceId }
  return (await ask<{ id: string }>('POST', '/api/maple/software_cards', card)).id
}

export const makeScript = async ({ ask }: Place, draft: string) =>
  (await ask<{ id: string }>('POST', scripts, { name: randomUUID(), draft })).id

export const newSecret = () => randomBytes(32).toString('base64url')

/** Whether a device with this secret is admitted. */
export async function knock(
  url: string,
  secret: string,
  localAddress = '127.0.0.1',
): Promise<boolean> {
  const socket = new WebSocket(`${url}/api/maple/gateway/socket`, {
    headers: { authorization: `Bearer ${secret}` },
    localAddress,
    rejectUnauthorized: false,
  })
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once('open', () => resolve(true))
    socket.on('error', () => resolve(false))
  })
  socket.terminate()
  return isOpen
}
