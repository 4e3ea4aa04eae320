import type { FastifyInstance, FastifyRequest } from 'fastify'
import { timingSafeEqual } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { sql } from 'kysely'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { withoutBackup } from '../backup/backup-log.ts'
import type { Config } from '../config.ts'
import type { Db } from '../database/database.ts'
import { isLoopbackName } from '../environment.ts'
import { hostName } from './host-check.ts'
import type { Platform } from '../platform.ts'
import { ProblemError } from './problem.ts'
import { readGauge } from './read-gauge.ts'
import type { StreamState } from '../stream/stream.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** This server's metrics; services add their own. */
    metrics: Registry
  }
}

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
  // Only for this server: a process may have several.
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
  const up = (name: string, help: string, ping: () => Promise<void>) =>
    readGauge(register, name, help, () =>
      ping().then(
        () => 1,
        () => 0,
      ),
    )
  up('grove_database_up', 'Whether the database answers.', () => platform.database.ping())
  up('grove_objects_up', 'Whether the store of files answers.', () => platform.objects.ping())
  up(
    'grove_telemetry_up',
    'Whether the store of measurements answers, if there is one.',
    async () => platform.telemetry?.ping(),
  )
  up('grove_stream_up', 'Whether NATS answers, if there is one.', async () =>
    platform.stream?.ping(),
  )
  measureStream(platform, register)
  readGauge(
    register,
    'grove_backup_age_seconds',
    'For how long there has been no verified backup.',
    () => withoutBackup(platform.db).catch(() => Number.NaN),
  )
  measureConnections(platform, registers)
  measureReplica(platform, register)
  measureJobs(platform, withJobs, registers)
  measureProcess(app, register)
  app.decorate('metrics', register)

  app.get('/metrics', { schema: { hide: true }, logLevel: 'warn' }, async (request, reply) => {
    if (!mayRead(request, platform.config))
      throw new ProblemError('not_found', 'There is nothing here.')
    const text = await register.metrics()
    return reply
      .type(register.contentType)
      .header('cache-control', 'no-store')
      .send(text.replaceAll('\n\n', '\n'))
  })
}

/** Probes by balancers and Prometheus, which say nothing about people. */
const probes = new Set(['/healthz', '/readyz', '/metrics'])

function countAnswers(app: FastifyInstance, registers: Registry[]): void {
  const labelNames = ['service', 'method', 'route', 'status'] as const
  const answers = new Counter({
    name: 'grove_requests_total',
    help: 'Answers by route and class of status.',
    labelNames,
    registers,
  })
  const seconds = new Histogram({
    name: 'grove_request_seconds',
    help: 'Time to answer, by route.',
    labelNames: ['service', 'method', 'route'],
    buckets,
    registers,
  })
  app.addHook('onResponse', async (request, reply) => {
    const { method, server } = request
    // URLs without a route can be anything: each would become a series of its own.
    const { url: route = 'none' } = request.routeOptions
    if (probes.has(route)) return
    const labels = { service: server.api?.name ?? 'platform', method, route }
    answers.inc({ ...labels, status: `${Math.floor(reply.statusCode / 100)}xx` })
    seconds.observe(labels, reply.elapsedTime / 1000)
  })
}

function measureConnections({ database }: Platform, registers: Registry[]): void {
  const connections = new Gauge({
    name: 'grove_database_connections',
    help: 'Connections of this process to the database, by state; waiting: queries that wait for one.',
    labelNames: ['state'],
    registers,
    collect() {
      const { total, idle, waiting } = database.connections()
      connections.set({ state: 'busy' }, total - idle)
      connections.set({ state: 'idle' }, idle)
      connections.set({ state: 'waiting' }, waiting)
    },
  })
}

/** Without a replica the gauges report a healthy one. */
function measureReplica({ replica }: Platform, register: Registry): void {
  const { status = () => ({ isUsed: true, lag: 0, reads: { replica: 0, primary: 0 } }) } =
    replica ?? {}
  readGauge(register, 'grove_replica_up', 'Whether reads go to the replica, if there is one.', () =>
    Number(status().isUsed),
  )
  readGauge(
    register,
    'grove_replica_lag_seconds',
    'How far the replica is behind.',
    () => status().lag,
  )
  const reads = new Counter({
    name: 'grove_replica_reads_total',
    help: 'Reads that may be a few seconds old, by the server that they went to.',
    labelNames: ['server'],
    registers: [register],
    collect() {
      reads.reset()
      for (const [server, count] of Object.entries(status().reads)) reads.inc({ server }, count)
    },
  })
}

/**
 * From NATS, so every process reports the same; NaN while it is unavailable. Without a stream all are
 * 0.
 */
function measureStream({ stream, now }: Platform, register: Registry): void {
  const read = (work: (state: StreamState) => number) => () =>
    stream ? stream.state().then(work, () => Number.NaN) : 0
  readGauge(
    register,
    'grove_stream_batches',
    'Batches of messages of devices that wait in NATS for the database.',
    read(({ messages }) => messages),
  )
  readGauge(
    register,
    'grove_stream_lag_seconds',
    'How long the oldest batch has waited.',
    read(({ oldest }) => (oldest === undefined ? 0 : Math.max(0, now() - oldest) / 1000)),
  )
}

/** From the database, so every process reports the same. */
function measureJobs({ db }: Platform, withJobs: readonly string[], registers: Registry[]): void {
  let counted: ReturnType<typeof countAll> | undefined
  const countAll = () => Promise.all(withJobs.map((service) => jobCounts(db, service)))
  // Both gauges use one read.
  const counts = async () => {
    counted ??= countAll().finally(() => (counted = undefined))
    return (await counted).flat()
  }
  const jobs = new Gauge({
    name: 'grove_jobs',
    help: 'Jobs by service and state.',
    labelNames: ['service', 'state'],
    registers,
    async collect() {
      jobs.reset()
      for (const { service, state, count } of await counts()) jobs.set({ service, state }, count)
    },
  })
  const late = new Gauge({
    name: 'grove_job_wait_seconds',
    help: 'How long the job that waits longest has been due, by service.',
    labelNames: ['service'],
    registers,
    async collect() {
      late.reset()
      for (const { service, state, wait } of await counts())
        if (state === 'queued') late.set({ service }, wait)
    },
  })
}

// The library's own process metrics observe garbage collection and stay after their server.
function measureProcess(app: FastifyInstance, register: Registry): void {
  const gauge = (name: string, help: string, read: () => number) =>
    readGauge(register, name, help, read)
  gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss())
  gauge('nodejs_heap_size_used_bytes', 'Used heap.', () => process.memoryUsage().heapUsed)
  const processor = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time.',
    registers: [register],
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
    'Delay of the event loop since it was last read.',
    () => {
      const seconds = delay.percentile(99) / 1e9
      delay.reset()
      return seconds
    },
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

/** Counts for every state, including zeros; nothing if the database is unavailable. */
async function jobCounts(db: Db, service: string) {
  try {
    const { rows } = await sql<{ state: string; count: number; wait: number }>`
      select wanted.state, count(job.id)::int as count,
        coalesce(extract(epoch from now() - min(due_at) filter (where due_at < now())), 0)::float8 as wait
      from unnest(array['queued', 'running', 'failed']) as wanted (state)
        left join ${sql.table(`${service}.job`)} as job on job.state = wanted.state
      group by wanted.state`.execute(db)
    return rows.map((row) => ({ service, ...row }))
  } catch {
    return []
  }
}
