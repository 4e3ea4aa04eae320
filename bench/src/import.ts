import { chmod, open, type FileHandle } from 'node:fs/promises'
import { openAsBlob } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { openDatabase, type Db } from '../../apps/platform/src/core/database/database.ts'
import { startPostgres } from '../../apps/platform/src/core/testing/postgres-server.ts'
import type { DeviceImport } from '@grove/contract/maple/fleet/device-import'
import { row, type Benchmark, type Row } from './benchmark.ts'
import { createSend, jsonOf, type Send } from './support/http-client.ts'
import { startPlatform, type ServerProcess } from './support/server-process.ts'
import { createSignIn } from './support/sign-in.ts'

const path = '/api/maple/device/import'
const rowsAtOnce = 10_000
const lookMs = 50
const shareOfCopy = 0.25

/** Path of the file, which the database reads too. */
interface Fleet {
  file: string
  rows: number
}

export const importBenchmark: Benchmark = {
  name: 'import',
  title: 'Import and export of devices',
  how: `A CSV file of new devices with one secure element each (id, name, type, state, CPLC, inner id), on PostgreSQL (256 MB of shared buffers, no waiting for the disk). Against \`COPY … FROM\` of the same file by the same server, right before: into a table of six text columns without an index, which is the budget's peer, and into one with the same indexes as devices and elements have. The check is the dry run. Again: the same file a second time. Other requests: \`GET /healthz\` every ${lookMs} ms during the import, the longest. Memory: resident size of the server, largest during the import less that before it. The export is the whole fleet as CSV, read as fast as it comes.`,
  run: async (bench) => {
    const server = await startPostgres()
    bench.atEnd(server.stop)
    const folder = await bench.folder('import')
    await chmod(folder, 0o755)
    const fleet = await writeFleet(join(folder, 'fleet.csv'), bench.devices)
    const env = { GROVE_DATA: await bench.folder('platform'), DATABASE_URL: server.url }
    const { db, close } = await openDatabase({ url: server.url, folder: env.GROVE_DATA })
    bench.say(`copying ${fleet.rows} rows`)
    const bare = await copy(db, fleet, [])
    const indexed = await copy(db, fleet, indexes)
    const platform = await startPlatform(bench, env)
    const send = createSend(platform.url)
    const signIn = createSignIn(send, 'admin')
    bench.say('importing')
    const first = await importFleet(platform, send, signIn, fleet)
    const again = await importFleet(platform, send, signIn, fleet)
    bench.say('exporting')
    const exported = await exportFleet(platform, send, signIn)
    await platform.stop()
    await close()
    const share = first.importRate / bare
    return {
      rows: [
        row('COPY into a bare table', bare, 'rows/s'),
        row('COPY into a table with the same indexes', indexed, 'rows/s'),
        row('check', first.checkRate, 'rows/s'),
        row('import', first.importRate, 'rows/s', {
          budget: { atLeast: Math.round(bare * shareOfCopy) },
          note: `${percent(share)} of the bare COPY, ${percent(first.importRate / indexed)} of that with indexes; ${fleet.rows} rows`,
        }),
        row('the same file again', again.importRate, 'rows/s'),
        row('other requests, longest', first.longestMs, 'ms', { budget: { atMost: 250 } }),
        ...memoryRow('memory of the import', first.memory),
        row('export', exported.rate, 'rows/s'),
        ...memoryRow('memory of the export', exported.memory),
      ],
    }
  },
}

const percent = (share: number) => `${Math.round(share * 100)} %`
const memoryRow = (name: string, measured: number | undefined): Row[] =>
  measured === undefined ? [] : [row(name, measured, 'MB', { budget: { atMost: 256 } })]

async function writeFleet(file: string, rows: number): Promise<Fleet> {
  const handle = await open(file, 'w', 0o644)
  try {
    await handle.write('id,name,type,state,cplc,innerId\n')
    for (let first = 0; first < rows; first += rowsAtOnce)
      await writeRows(handle, first, Math.min(first + rowsAtOnce, rows))
  } finally {
    await handle.close()
  }
  return { file, rows }
}

async function writeRows(handle: FileHandle, first: number, end: number): Promise<void> {
  let text = ''
  for (let at = first; at < end; at += 1) {
    // Spread out, like foreign ids.
    const id = (Math.imul(at, 0x9e3779b1) >>> 0).toString(36).padStart(7, '0')
    const serial = at.toString(16).toUpperCase().padStart(8, '0')
    const type = ['iot', 'virtual', 'boot', 'default'][at % 4]
    text += `B-${id},"Turnstile ${at % 9973}, North",${type},online,4790D3214700104803006123${serial}0648${'0'.repeat(48)},W-${at}\n`
  }
  await handle.write(text)
}

/** Values of a device and its element for the file's columns. */
const indexes = [
  sql`create unique index on copied (id collate "C")`,
  sql`create unique index on copied (innerId collate "C")`,
  ...['name', 'id', 'created_at', 'seen_at'].map(
    (column) => sql`create index on copied (type, state, ${sql.ref(column)}, id)`,
  ),
  sql`create unique index on copied (cplc collate "C")`,
  sql`create index on copied (substr(cplc, 1, 8))`,
  sql`create index on copied (substr(cplc, 25, 8))`,
  sql`create index on copied (cplc, id)`,
]

/** Rows per second of a `COPY` of the file. */
async function copy(db: Db, { file, rows }: Fleet, withIndexes: typeof indexes): Promise<number> {
  return db.connection().execute(async (connection) => {
    await sql`set statement_timeout = 0`.execute(connection)
    await sql`drop table if exists copied`.execute(connection)
    await sql`create table copied (id text, name text, type text, state text, cplc text, innerId text,
      created_at timestamptz default now(), seen_at timestamptz default now())`.execute(connection)
    for (const index of withIndexes) await index.execute(connection)
    const started = performance.now()
    await sql`copy copied (id, name, type, state, cplc, innerId) from ${sql.lit(file)} csv header`.execute(
      connection,
    )
    const seconds = (performance.now() - started) / 1000
    await sql`drop table copied`.execute(connection)
    await sql`reset statement_timeout`.execute(connection)
    return rows / seconds
  })
}

type SignIn = () => Promise<{ authorization: string }>

async function importFleet(server: ServerProcess, send: Send, signIn: SignIn, fleet: Fleet) {
  const form = new FormData()
  form.append('file', await openAsBlob(fleet.file), 'fleet.csv')
  const headers = await signIn()
  const response = await fetch(server.url + path, { method: 'POST', body: form, headers })
  const { id, mapping } = (await response.json()) as DeviceImport
  const post = async (call: string, body: object) =>
    jsonOf(await send('POST', `${path}/${call}`, { headers: await signIn(), body }))
  const until = async (state: DeviceImport['state']) => {
    const started = performance.now()
    let longestMs = 0
    let most = 0
    for (let looks = 0; ; looks += 1) {
      const { milliseconds } = await send('GET', '/healthz', {})
      longestMs = Math.max(longestMs, milliseconds)
      most = Math.max(most, (await server.memory()) ?? 0)
      if (looks % 4 === 0) {
        const answer = await send('GET', `${path}?id=${id}`, { headers: await signIn() })
        const { items }: { items: DeviceImport[] } = jsonOf(answer)
        const found = items[0]
        if (found?.state === 'failed') throw new Error(`The import failed: ${found.failure}`)
        if (found?.state === state && found.counts.wrong > 0) throw new Error('Rows were wrong.')
        if (found?.state === state)
          return { seconds: (performance.now() - started) / 1000, longestMs, most }
      }
      await wait(lookMs)
    }
  }
  const before = await server.memory()
  await post('check', { id, mapping, existing: 'update' })
  const checked = await until('checked')
  await post('start', { id })
  const imported = await until('completed')
  return {
    checkRate: fleet.rows / checked.seconds,
    importRate: fleet.rows / imported.seconds,
    longestMs: Math.max(checked.longestMs, imported.longestMs),
    memory: before === undefined ? undefined : Math.max(checked.most, imported.most) - before,
  }
}

async function exportFleet(server: ServerProcess, send: Send, signIn: SignIn) {
  const answer = await send('POST', '/api/maple/device/export', {
    headers: await signIn(),
    body: { format: 'csv' },
  })
  const { address }: { address: string } = jsonOf(answer)
  const before = await server.memory()
  const started = performance.now()
  const response = await fetch(server.url + address)
  let lines = 0
  let most = 0
  let looked = 0
  for await (const piece of response.body ?? []) {
    for (const byte of piece as Uint8Array) if (byte === 10) lines += 1
    if (performance.now() - looked < lookMs) continue
    looked = performance.now()
    most = Math.max(most, (await server.memory()) ?? 0)
  }
  const seconds = (performance.now() - started) / 1000
  return {
    rate: (lines - 1) / seconds,
    memory: before === undefined ? undefined : Math.max(0, most - before),
  }
}
