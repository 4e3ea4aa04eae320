import type { FastifyInstance, FastifyRequest } from 'fastify'
import { timingSafeEqual } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { sql } from 'kysely'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Config } from '../config.ts'
import { isLoopbackName } from '../environment.ts'
import { hostName } from './host-check.ts'
import type { Platform } from '../platform.ts'
import { ProblemError } from './problem.ts'

/** Upper bounds in seconds. */
const buckets = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/**
 * `/metrics` in Prometheus's text format: with the bearer token, or from this machine without one.
 * Each metric is explained in docs/security/alarms.md.
 */
export function installMetrics(
  app: FastifyInstance,
  platform: Platform,
  /** Services with a job table. */
  withJobs: readonly string[],
): void {
  // Of this server alone: a process may have several.
  const register = new Registry()
  const registers = [register]
  countAnswers(app, registers)
  const refused = new Counter({
    name: 'grove_refused_total',
    help: 'Refusals that an attack leaves, by code.',
    labelNames: ['code'],
    registers,
    collect() {
      refused.reset()
      for (const [code, count] of app.securityCounter.totals()) refused.inc({ code }, count)
    },
  })
  const databaseUp = new Gauge({
    name: 'grove_database_up',
    help: 'Whether the database answers.',
    registers,
  })
  const jobs = new Gauge({
    name: 'grove_jobs',
    help: 'Jobs by service and state.',
    labelNames: ['service', 'state'],
    registers,
  })
  measureProcess(app, registers)

  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (!mayRead(request, platform.config))
      throw new ProblemError('not_found', 'There is nothing here.')
    const counts = await jobCounts(platform, withJobs)
    databaseUp.set(counts ? 1 : 0)
    jobs.reset()
    for (const { service, state, count } of counts ?? []) jobs.set({ service, state }, count)
    const text = await register.metrics()
    return reply
      .type(register.contentType)
      .header('cache-control', 'no-store')
      .send(text.replaceAll('\n\n', '\n'))
  })
}

function countAnswers(app: FastifyInstance, registers: Registry[]): void {
  const answers = new Counter({
    name: 'grove_requests_total',
    help: 'Answers by class of status.',
    labelNames: ['status'],
    registers,
  })
  const seconds = new Histogram({
    name: 'grove_request_seconds',
    help: 'Time to answer.',
    buckets,
    registers,
  })
  app.addHook('onResponse', async (_request, reply) => {
    answers.inc({ status: `${Math.floor(reply.statusCode / 100)}xx` })
    seconds.observe(reply.elapsedTime / 1000)
  })
}

// The library's own process metrics observe garbage collection and stay after their server.
function measureProcess(app: FastifyInstance, registers: Registry[]): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss())
  gauge('nodejs_heap_size_used_bytes', 'Used heap.', () => process.memoryUsage().heapUsed)
  const processor = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage()
      processor.reset()
      processor.inc((user + system) / 1e6)
    },
  })
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  app.addHook('onClose', async () => void delay.disable())
  gauge(
    'nodejs_eventloop_lag_p99_seconds',
    'Delay of the event loop.',
    () => delay.percentile(99) / 1e9,
  )
}

function mayRead({ headers, socket }: FastifyRequest, config: Config): boolean {
  if (config.metricsToken !== undefined) {
    const wanted = Buffer.from(`Bearer ${config.metricsToken}`)
    const given = Buffer.from(headers.authorization ?? '')
    if (given.length === wanted.length && timingSafeEqual(given, wanted)) return true
  }
  // A proxy on this machine connects from it too, on behalf of anyone.
  const isProxied = config.trustsProxy || 'x-forwarded-for' in headers || 'forwarded' in headers
  // A page elsewhere can point its own name at this machine (DNS rebinding).
  const name = hostName(headers.host) ?? ''
  const isOurs = isLoopbackName(name) || config.hosts.includes(name)
  return (
    !isProxied && isOurs && /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(socket.remoteAddress ?? '')
  )
}

/** Undefined if the database does not respond. */
async function jobCounts({ db }: Platform, withJobs: readonly string[]) {
  try {
    await sql`select 1`.execute(db)
    const counts: { service: string; state: string; count: number }[] = []
    for (const service of withJobs) {
      const { rows } = await sql<{ state: string; count: number }>`
        select state, count(*)::int as count from ${sql.table(`${service}.job`)}
        where state in ('queued', 'running', 'failed') group by state`.execute(db)
      counts.push(...rows.map((row) => ({ service, ...row })))
    }
    return counts
  } catch {
    return undefined
  }
}
