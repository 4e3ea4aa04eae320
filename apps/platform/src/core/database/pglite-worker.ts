import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { DurableNodeFS } from './durable-node-fs.ts'
import { simpleQuery } from './frontend-messages.ts'
import type { WorkerRequest, WorkerSettings } from './pglite-server.ts'

const port = parentPort
const settings = workerData as WorkerSettings
const parameters = ['--single', '-O', '-j'].concat(
  Object.entries({
    search_path: 'public',
    timezone: 'UTC',
    datestyle: 'ISO',
    exit_on_error: 'false',
    log_checkpoints: 'false',
    max_worker_processes: '0',
    max_parallel_workers: '0',
    max_parallel_workers_per_gather: '0',
    max_parallel_maintenance_workers: '0',
    io_method: 'sync',
    // The memory counts as used from the start, and the operating system caches the files as well.
    shared_buffers: '24MB',
    // One process, one session.
    max_connections: '8',
    fsync: settings.folder === undefined ? 'off' : 'on',
    wal_sync_method: 'fsync',
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
)

function stop(reason: string): never {
  port?.postMessage({ lost: reason })
  process.exit(1)
}

const db = await PGlite.create({
  startParams: parameters,
  ...(settings.folder === undefined
    ? { loadDataDir: new Blob([settings.template ?? new Uint8Array()]) }
    : { fs: new DurableNodeFS(settings.folder, settings.probe) }),
  onStderr: (line) => {
    // PostgreSQL exits after this message. PGlite swallows that and calls it again, forever.
    if (/\b(FATAL|PANIC):/.test(line)) stop(line)
    return false
  },
}).catch((error: unknown) => stop(error instanceof Error ? error.message : String(error)))

const sync = Buffer.from([0x53, 0, 0, 0, 4])

/** What a dropped connection leaves: a transaction, prepared statements, settings. */
function forgetSession(): void {
  db.execProtocolRawSync(sync)
  db.execProtocolRawSync(simpleQuery('rollback'))
  db.execProtocolRawSync(simpleQuery('discard all'))
}

port?.on('message', (request: WorkerRequest) => {
  if (request.type === 'query') {
    const bytes = db.execProtocolRawSync(request.bytes)
    port.postMessage({ session: request.session, bytes }, [bytes.buffer as ArrayBuffer])
  } else if (request.type === 'end') {
    forgetSession()
  } else {
    void db.close().finally(() => process.exit(0))
  }
})
port?.postMessage({ ready: true })
