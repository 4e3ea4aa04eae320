import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Platform } from '../platform.ts'

// Anyone can call it, and each check writes a file.
const rememberedMs = 1000

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Announces that this process is about to stop: `/readyz` answers 503, so that a balancer uses
     * another process, and every answer closes its connection. Until then it serves as before.
     */
    announceStop: () => void
  }
}

/**
 * `/healthz`: the process is running. `/readyz`: it can serve. It stays ready without the object
 * store (no uploads and downloads), without the telemetry database (no measurements), without NATS
 * (no messages from devices) and without a replica (reads go to the primary): a balancer that removed
 * all processes for one of these would take everything down.
 */
export function installHealth(app: FastifyInstance, platform: Platform): void {
  let isStopping = false
  app.decorate('announceStop', () => {
    isStopping = true
  })
  app.addHook('onSend', async (_request, reply) => {
    if (isStopping) reply.header('connection', 'close')
  })
  app.get('/healthz', { schema: { hide: true }, logLevel: 'warn' }, async () => ({ status: 'ok' }))
  let asked: { at: number; answer: Promise<Answers> } | undefined
  const ask = () => {
    if (asked && performance.now() - asked.at < rememberedMs) return asked.answer
    const { database, objects, telemetry, stream } = platform
    // A balancer does not wait for a hanging connection.
    const soon = (ping: Promise<void>) =>
      Promise.race([answers(ping), wait(1000, false, { ref: false })])
    const answer = Promise.all([
      answers(database.ping()),
      answers(objects.ping()),
      telemetry && soon(telemetry.ping()),
      stream && soon(stream.ping()),
    ])
    asked = { at: performance.now(), answer }
    return answer
  }
  app.get('/readyz', { schema: { hide: true }, logLevel: 'warn' }, async (_request, reply) => {
    const [database, objects, telemetry, nats] = await ask()
    const isReady = database && !isStopping
    if (!isReady) reply.code(503).header('retry-after', '5')
    const replica = platform.replica?.status().isUsed
    const isWhole = objects && telemetry !== false && nats !== false && replica !== false
    return {
      status: statusOf({ isStopping, database, isWhole }),
      database,
      objects,
      ...(telemetry !== undefined && { telemetry }),
      ...(nats !== undefined && { nats }),
      ...(replica !== undefined && { replica }),
    }
  })
}

type Answers = [
  database: boolean,
  objects: boolean,
  telemetry: boolean | undefined,
  nats: boolean | undefined,
]

function statusOf({ isStopping, database, isWhole }: Record<string, boolean>) {
  if (isStopping) return 'stopping'
  if (!database) return 'unavailable'
  return isWhole ? 'ok' : 'degraded'
}

const answers = (check: Promise<void>): Promise<boolean> =>
  check.then(
    () => true,
    () => false,
  )
