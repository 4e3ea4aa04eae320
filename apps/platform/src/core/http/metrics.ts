import type { FastifyInstance, FastifyRequest } from 'fastify'
import { timingSafeEqual } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import { isLoopbackName } from '../environment.ts'
import { hostName } from './host-check.ts'
import type { Platform } from '../platform.ts'
import { ProblemError } from './problem.ts'

/** Upper ends in seconds. */
const buckets = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

type Labels = Record<string, string>

/**
 * `/metrics` in the text format of Prometheus: for a bearer of the token, and without one for this
 * machine. What each metric is for is in docs/security/alarms.md.
 */
export function installMetrics(
  app: FastifyInstance,
  platform: Platform,
  /** Services that have a table of jobs. */
  withJobs: readonly string[],
): void {
  const byStatus = new Map<string, number>()
  const inBucket = buckets.map(() => 0)
  let seconds = 0
  let requests = 0
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  app.addHook('onClose', async () => void delay.disable())
  app.addHook('onResponse', async (_request, reply) => {
    const status = `${Math.floor(reply.statusCode / 100)}xx`
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
    const took = reply.elapsedTime / 1000
    requests += 1
    seconds += took
    for (const [index, end] of buckets.entries())
      if (took <= end) inBucket[index] = (inBucket[index] ?? 0) + 1
  })

  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (!mayRead(request, platform.config))
      throw new ProblemError('not_found', 'There is nothing here.')
    const lines = metricLines()
    const add: typeof lines.add = (...line) => lines.add(...line)
    add('counter', 'grove_requests_total', 'Answers by class of status.', byStatus, 'status')
    lines.histogram('grove_request_seconds', 'Time to answer.', inBucket, { seconds, requests })
    const refused = app.securityCounter.totals()
    add(
      'counter',
      'grove_refused_total',
      'Refusals that an attack leaves, by code.',
      refused,
      'code',
    )
    const database = await jobCounts(platform, withJobs)
    add('gauge', 'grove_database_up', 'Whether the database answers.', database ? 1 : 0)
    lines.labelled('gauge', 'grove_jobs', 'Jobs by service and state.', database ?? [])
    const { rss, heapUsed } = process.memoryUsage()
    add('gauge', 'process_resident_memory_bytes', 'Memory of the process.', rss)
    add('gauge', 'nodejs_heap_size_used_bytes', 'Used heap.', heapUsed)
    const { user, system } = process.cpuUsage()
    add('counter', 'process_cpu_seconds_total', 'Processor time.', (user + system) / 1e6)
    add(
      'gauge',
      'nodejs_eventloop_lag_p99_seconds',
      'Delay of the event loop.',
      delay.percentile(99) / 1e9,
    )
    return reply
      .type('text/plain; version=0.0.4; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(lines.text())
  })
}

function mayRead({ headers, socket }: FastifyRequest, config: Config): boolean {
  if (config.metricsToken !== undefined) {
    const wanted = Buffer.from(`Bearer ${config.metricsToken}`)
    const given = Buffer.from(headers.authorization ?? '')
    if (given.length === wanted.length && timingSafeEqual(given, wanted)) return true
  }
  // A proxy on this machine connects from it too, for anyone.
  const isProxied = config.trustsProxy || 'x-forwarded-for' in headers || 'forwarded' in headers
  // A page elsewhere can point a name of its own at this machine (DNS rebinding).
  const name = hostName(headers.host) ?? ''
  const isOurs = isLoopbackName(name) || config.hosts.includes(name)
  return (
    !isProxied && isOurs && /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(socket.remoteAddress ?? '')
  )
}

/** Undefined when the database does not answer. */
async function jobCounts({ db }: Platform, withJobs: readonly string[]) {
  try {
    await sql`select 1`.execute(db)
    const counts: { labels: Labels; value: number }[] = []
    for (const service of withJobs) {
      const { rows } = await sql<{ state: string; count: number }>`
        select state, count(*)::int as count from ${sql.table(`${service}.job`)}
        where state in ('queued', 'running', 'failed') group by state`.execute(db)
      for (const { state, count } of rows) counts.push({ labels: { service, state }, value: count })
    }
    return counts
  } catch {
    return undefined
  }
}

function metricLines() {
  const lines: string[] = []
  const head = (type: string, name: string, help: string) =>
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`)
  const labelled = (
    type: string,
    name: string,
    help: string,
    values: readonly { labels: Labels; value: number }[],
  ) => {
    head(type, name, help)
    for (const { labels, value } of values) {
      const text = Object.entries(labels).map(([label, of]) => `${label}="${of}"`)
      lines.push(`${name}{${text.join(',')}} ${value}`)
    }
  }
  return {
    labelled,
    add(
      type: string,
      name: string,
      help: string,
      value: number | ReadonlyMap<string, number>,
      label = '',
    ) {
      if (typeof value !== 'number')
        return labelled(
          type,
          name,
          help,
          [...value].map(([key, count]) => ({ labels: { [label]: key }, value: count })),
        )
      head(type, name, help)
      lines.push(`${name} ${value}`)
    },
    histogram(
      name: string,
      help: string,
      counts: readonly number[],
      all: { seconds: number; requests: number },
    ) {
      head('histogram', name, help)
      for (const [index, end] of buckets.entries())
        lines.push(`${name}_bucket{le="${end}"} ${counts[index] ?? 0}`)
      lines.push(
        `${name}_bucket{le="+Inf"} ${all.requests}`,
        `${name}_sum ${all.seconds}`,
        `${name}_count ${all.requests}`,
      )
    },
    text: () => `${lines.join('\n')}\n`,
  }
}
