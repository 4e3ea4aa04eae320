import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { openPreviews } from '../preview.ts'
import {
  cancelImport,
  checkImport,
  crowd,
  deliver,
  knock,
  makeCard,
  makeHandler,
  makeScript,
  newSecret,
  runMs,
  scripts,
  stateOfImport,
  uploadImport,
  type Place,
} from './place.ts'

/** Starts it, and returns what stops it. */
export type Flood = () => Promise<() => Promise<unknown>>

/** Rows of the large import. */
const rows = ({ bench }: Place) => (bench.isQuick ? 40_000 : 400_000)

/** Ways in which one service provider floods the platform until stopped. */
export const floods = (place: Place): Record<string, Flood> => ({
  'deliveries without an end': deliveries(place, `fetch('http://127.0.0.1:${place.silentPort}/')`),
  'large imports': largeImports(place),
  'runs of a script': scriptRuns(place),
  'programs without an end': deliveries(place, 'for (;;) {}'),
  'regular expressions': deliveries(place, `/(a+)+$/.test('a'.repeat(60) + 'b')`),
  'names that nobody answers': deliveries(
    place,
    `for (let n = 0; n < 10; n++) try { fetch('http://n' + n + '.example.com/') } catch {}`,
  ),
  'wrong secrets': wrongSecrets(place),
  'idle handshakes': idleHandshakes(place),
  'unread previews': unreadPreviews(place),
})

/** Repeats something until it is stopped. */
function repeated(work: (signal: AbortSignal) => Promise<unknown>): () => Promise<unknown> {
  const ending = new AbortController()
  const all = (async () => {
    while (!ending.signal.aborted) await work(ending.signal)
  })()
  return () => {
    ending.abort()
    return all
  }
}

/** Eight deliveries to each of twelve handlers. */
const deliveries =
  (place: Place, code: string): Flood =>
  async () => {
    const ids: string[] = []
    for (let n = 0; n < 12; n++) ids.push(await makeHandler(place, crowd, code))
    for (const id of ids) for (let n = 0; n < 8; n++) await deliver(place, id)
    return async () => {
      await sql`delete from maple.cloud_handler where id = any(${ids}::uuid[])`.execute(place.db)
      await pause(runMs)
    }
  }

const largeImports =
  (place: Place): Flood =>
  async () => {
    const end = repeated(async (signal) => {
      const uploaded = await uploadImport(place, crowd, rows(place))
      await checkImport(place, uploaded)
      while ((await stateOfImport(place, uploaded.id)) === 'checking')
        if (signal.aborted) return cancelImport(place, uploaded.id)
        else await pause(100)
    })
    return async () => {
      await end()
      await pause(2000)
    }
  }

const scriptRuns =
  (place: Place): Flood =>
  async () => {
    const { db, ask } = place
    const id = await makeScript(place, 'for (;;) {}')
    const cards: string[] = []
    for (let n = 0; n < 24; n++) cards.push(await makeCard(place, crowd))
    const batches: string[] = []
    for (const cplc of cards) {
      const body = { elements: [cplc] }
      const made = await ask<{ batchId: string }>('POST', `${scripts}/${id}/run`, body)
      batches.push(made.batchId)
    }
    return async () => {
      await sql`
        update maple.script_run set is_cancelled = true,
          state = case when state = 'waiting' then 'cancelled' else state end
        where batch_id = any(${batches}::uuid[])`.execute(db)
      await pause(3000)
    }
  }

/** Twenty at a time. */
const wrongSecrets =
  ({ platform }: Place): Flood =>
  async () => {
    const url = platform.url.replace(/^http/, 'ws')
    const all = Array.from({ length: 20 }, () => repeated(() => knock(url, newSecret())))
    return () => Promise.all(all.map((end) => end()))
  }

/** As many open connections as allowed; each that ends is replaced. */
function connections(count: number, open: () => Socket) {
  const sockets = new Set<Socket>()
  let isEnding = false
  const next = () => {
    const socket = open()
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => {
      sockets.delete(socket)
      if (!isEnding) setTimeout(next, 10)
    })
  }
  for (let n = 0; n < count; n++) next()
  return async () => {
    isEnding = true
    for (const socket of sockets) socket.destroy()
  }
}

const idleHandshakes =
  ({ tlsPort }: Place): Flood =>
  async () =>
    connections(505, () => connect(tlsPort, '127.0.0.1'))

/** A file of eight megabytes, which no connection reads. */
const unreadPreviews =
  (place: Place): Flood =>
  async () => {
    const folder = await place.bench.folder('large-app')
    await mkdir(join(folder, 'app'))
    await writeFile(join(folder, 'app/index.html'), '<!doctype html><title>Large</title>')
    await writeFile(join(folder, 'app/large.png'), randomBytes(8_000_000))
    const open = await openPreviews(place.platform.url, join(folder, 'app'))
    const { hostname, port, pathname } = new URL(`${(await open()).address}auto/large.png`)
    const request = `GET ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`
    return connections(300, () => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.write(request)
      return socket
    })
  }
