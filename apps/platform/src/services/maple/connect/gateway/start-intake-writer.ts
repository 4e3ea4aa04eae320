import type { FastifyInstance } from 'fastify'
import { Counter } from 'prom-client'
import type { CallContext } from '../../base/context.ts'
import type { ConnectContext } from '../context.ts'
import { openIntake } from './intake.ts'
import { openIntakeWriter } from './intake-writer.ts'

/** Writes messages from the stream into the database; in a runner, if there is a stream. */
export function startIntakeWriter(
  app: FastifyInstance,
  context: ConnectContext & CallContext,
): void {
  const { stream, config, db, telemetry, devices: hub, now, settings } = context
  if (!config.roles.includes('runner')) return
  const warn = (what: string) => (error: unknown) =>
    app.log.warn({ reason: error instanceof Error ? error.message : 'unknown' }, what)
  const { telemetryDays } = settings
  const intake = openIntake({ db, telemetry, hub, now, telemetryDays, warn })
  const writer = stream && openIntakeWriter({ stream, intake, db, log: app.log })
  const count = (name: string, help: string, read: () => number) => {
    const counter = new Counter({
      name,
      help,
      registers: [app.metrics],
      collect() {
        counter.reset()
        counter.inc(read())
      },
    })
  }
  const counts = () => writer?.counts() ?? { stored: 0, again: 0, refused: 0 }
  count(
    'grove_stream_stored_total',
    'Messages of devices that this process has written from NATS into the database.',
    () => counts().stored,
  )
  count(
    'grove_stream_redelivered_total',
    'Batches that this process took out of NATS again.',
    () => counts().again,
  )
  count(
    'grove_stream_refused_total',
    'Messages from NATS that can never be stored.',
    () => counts().refused,
  )
  app.addHook('preClose', async () => writer?.close())
}
