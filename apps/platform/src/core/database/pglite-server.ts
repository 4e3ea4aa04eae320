import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { startThread } from '../start-thread.ts'
import { watchStatements } from './statement-watch.ts'
import { DatabaseLostError } from './unavailable.ts'
import type { DatabaseLog } from './pools.ts'

export interface WorkerSettings {
  /** The database's folder; without one it is created in memory from the template. */
  folder?: string | undefined
  template?: Uint8Array<ArrayBuffer> | undefined
  /** [number of syncs, 1 = every write fails as on a full disk] */
  probe: Int32Array
}

export type WorkerRequest =
  | { type: 'query'; session: number; bytes: Uint8Array }
  | { type: 'end' }
  | { type: 'close' }

type WorkerReply = { ready: true } | { lost: string } | { session: number; bytes: Uint8Array }

export interface PgliteSession {
  send: (messages: Uint8Array<ArrayBuffer>) => void
  end: () => void
}

interface SessionListener {
  onReply: (bytes: Uint8Array) => void
  onLost: (error: Error) => void
}

export interface PgliteServer {
  /** Restarts the database after its thread has ended. */
  connect: (listener: SessionListener) => Promise<PgliteSession>
  close: () => Promise<void>
  probe: Int32Array
}

export interface PgliteOptions {
  folder?: string
  template?: Uint8Array<ArrayBuffer>
  log?: DatabaseLog | undefined
  /** Maximum duration of a statement. */
  statementMs?: number | undefined
}

// PostgreSQL's statement timeout, doubled: PGlite is slower.
const maxStatementMs = 60_000

/** Runs PGlite in a worker thread, so that a long query does not block the event loop. */
export async function startPglite(options: PgliteOptions): Promise<PgliteServer> {
  const { log, statementMs = maxStatementMs, ...place } = options
  const probe = new Int32Array(new SharedArrayBuffer(8))
  const settings: WorkerSettings = { ...place, probe }
  let sessions = 0
  let current: { session: number; listener: SessionListener } | undefined
  let worker: Promise<Worker> | undefined
  let failure: { error: unknown; at: number } | undefined
  let isStopping = false
  let closed = false

  const lost = (error: Error) => {
    watch.reset()
    worker = undefined
    current?.listener.onLost(error)
    current = undefined
    if (!isStopping) log?.warn({ err: error }, 'the embedded database stopped')
  }
  const watch = watchStatements(statementMs, () => {
    log?.warn({ statementMs }, 'a statement took too long; the embedded database starts again')
    void worker?.then((thread) => thread.terminate()).catch(() => {})
  })
  const reply = (message: { session: number; bytes: Uint8Array }) => {
    watch.replied()
    if (message.session === current?.session) current.listener.onReply(message.bytes)
  }
  const start = () => {
    // On a full disk every start fails: callers get an error immediately, with one attempt per
    // second.
    if (failure && performance.now() - failure.at < 1000)
      throw DatabaseLostError.from(failure.error)
    const starting = startWorker(settings, reply, lost)
    starting.catch((error: unknown) => (failure = { error, at: performance.now() }))
    return starting
  }
  const end = (thread: Worker) => {
    current = undefined
    watch.ended()
    thread.postMessage({ type: 'end' } satisfies WorkerRequest, [])
  }

  const stop = async (thread: Worker) => {
    isStopping = true
    const exited = new Promise((resolve) => thread.once('exit', resolve))
    thread.postMessage({ type: 'close' } satisfies WorkerRequest, [])
    await exited
    isStopping = false
  }

  const isNew = options.folder !== undefined && !existsSync(join(options.folder, 'PG_VERSION'))
  worker = start()
  await worker
  if (isNew) {
    // Creating the database takes about 500 MB more than running it; the thread returns the memory
    // when it ends.
    await stop(await worker)
    worker = start()
    await worker
  }
  return {
    probe,
    async connect(listener) {
      if (closed) throw new DatabaseLostError('the database is closed')
      const thread = await (worker ??= start())
      if (current) {
        current.listener.onLost(new DatabaseLostError('another session took its place'))
        end(thread)
      }
      const session = ++sessions
      current = { session, listener }
      return {
        send: (bytes) => {
          watch.sent(bytes)
          thread.postMessage({ type: 'query', session, bytes }, [bytes.buffer])
        },
        end: () => {
          if (current?.session === session) end(thread)
        },
      }
    },
    async close() {
      closed = true
      const thread = await worker?.catch(() => undefined)
      if (thread) await stop(thread)
    },
  }
}

function startWorker(
  settings: WorkerSettings,
  onReply: (message: { session: number; bytes: Uint8Array }) => void,
  onLost: (error: Error) => void,
): Promise<Worker> {
  return new Promise((resolve, reject) => {
    const worker = startThread(new URL('./pglite-worker.ts', import.meta.url), settings)
    let reason = 'the embedded database ended'
    worker.on('message', (message: WorkerReply) => {
      if ('bytes' in message) onReply(message)
      else if ('ready' in message) resolve(worker)
      else reason = message.lost
    })
    worker.on('error', (error) => (reason = error.message))
    worker.on('exit', () => {
      const error = new DatabaseLostError(reason)
      onLost(error)
      reject(error)
    })
  })
}
