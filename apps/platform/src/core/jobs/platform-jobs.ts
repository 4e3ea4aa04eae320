import { EventEmitter } from 'node:events'
import type { FastifyInstance } from 'fastify'
import { deleteOldEvents } from '../events/event.queries.ts'
import type { Platform } from '../platform.ts'
import { readSecret } from '../secret.ts'
import type { Service } from '../service.ts'
import { defineJobs, type AnyJobDefinitions } from './define-jobs.ts'
import { createJobQueue, type JobQueue } from './job-queue.ts'
import { runnerSettings, startJobRunner, type RunnerSettings } from './job-runner.ts'
import type { JobStore } from './job-tables.ts'
import { deleteFinishedJobs } from './job.queries.ts'

/** Test settings of the runner; `passedMs` advances the clock that due times are compared with. */
export type JobSettings = Partial<RunnerSettings> & { passedMs?: () => number }

/** Notifies runners in other processes. A notice may be lost, so they also poll. */
const channel = 'grove_job'
const noticeMs = 50

interface Shared {
  /** Signals that a job was queued or changed in this process. */
  bell: EventEmitter<{ ring: [] }>
  ring: () => void
  secret: () => Promise<string>
}

const opened = new WeakMap<Platform, Shared>()

/** For a process that runs no jobs; many notices at once become one. */
function ringElsewhere({ database }: Platform): () => void {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      database.notices.send(channel, '').catch(() => {})
    }, noticeMs).unref()
  }
}

/** Shared by the queues and the runner of one process. */
function sharedOf(platform: Platform): Shared {
  const known = opened.get(platform)
  if (known) return known
  let secret: Promise<string> | undefined
  const bell = new EventEmitter<{ ring: [] }>()
  const made = {
    bell,
    ring: platform.config.roles.includes('runner')
      ? () => void bell.emit('ring')
      : ringElsewhere(platform),
    secret: () => (secret ??= readSecret(platform.config)),
  }
  opened.set(platform, made)
  return made
}

const storeOf = ({ db, jobs }: Platform, schema: string): JobStore => ({
  db,
  schema,
  passedMs: jobs?.passedMs ?? (() => 0),
})

/** The queue of a service. */
export function openJobQueue<Inputs>(
  platform: Platform,
  schema: string,
  definitions: AnyJobDefinitions,
): JobQueue<Inputs> {
  const { ring: nudge, secret } = sharedOf(platform)
  return createJobQueue<Inputs>(storeOf(platform, schema), definitions, { secret, nudge })
}

/** The context of admin calls on a service's jobs. */
export function openJobAdmin(platform: Platform, { name, jobs, events }: ServiceWithJobs) {
  const { ring } = sharedOf(platform)
  const store = storeOf(platform, name)
  const definitions = { ...jobs, ...retentionOf(platform, store, events.kept) }
  return { store, definitions, events, nudge: ring }
}

export type ServiceWithJobs = Service & Required<Pick<Service, 'jobs' | 'events'>>
export const hasJobs = (service: Service): service is ServiceWithJobs =>
  service.jobs !== undefined && service.events !== undefined

/** Runs the jobs of the services until the server closes. */
export async function runJobs(
  app: FastifyInstance,
  platform: Platform,
  services: readonly Service[],
): Promise<void> {
  const { bell, secret } = sharedOf(platform)
  const running = await Promise.all(
    services.filter(hasJobs).map(async (service) => {
      const { store, definitions } = openJobAdmin(platform, service)
      return { store, definitions, context: await service.open(platform) }
    }),
  )
  if (running.length === 0) return
  const runner = startJobRunner(running, {
    ...runnerSettings,
    ...platform.jobs,
    secret,
    warn: (fields, message) => app.log.warn(fields, message),
  })
  bell.on('ring', runner.nudge)
  const stopListening = platform.database.notices.on(channel, runner.nudge)
  app.addHook('onClose', async () => {
    bell.off('ring', runner.nudge)
    stopListening()
    await runner.close()
  })
}

const hourMs = 3600_000
const dayMs = 24 * hourMs
const keptMs = { completed: 7 * dayMs, failed: 30 * dayMs }

/** Retention of every service, a thousand rows per statement. */
const retentionOf = (
  { config: { eventDays } }: Platform,
  store: JobStore,
  kept: readonly string[],
): AnyJobDefinitions =>
  defineJobs<unknown, Record<'job.delete' | 'event.delete', null>>({
    'job.delete': {
      everyMs: hourMs,
      run: (_context, _input, { signal }) =>
        untilNone(signal, () => deleteFinishedJobs(store, keptMs)),
    },
    'event.delete': {
      everyMs: dayMs,
      canRun: () => eventDays > 0,
      run: (_context, _input, { signal }) =>
        untilNone(signal, () => deleteOldEvents(store, eventDays * dayMs, kept)),
    },
  })

async function untilNone(signal: AbortSignal, deleteSome: () => Promise<number>): Promise<void> {
  while ((await deleteSome()) > 0) signal.throwIfAborted()
}
