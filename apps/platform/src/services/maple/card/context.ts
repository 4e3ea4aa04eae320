import { ofElement } from '../base/event-scopes.ts'
import { sql } from 'kysely'
import { defineEvents } from '../../../core/events/define-events.ts'
import type { JobQueue } from '../../../core/jobs/job-queue.ts'
import type { MapleContext } from '../base/context.ts'
import type { FleetContext } from '../fleet/context.ts'
import type { CardJobs } from './jobs.ts'
import type { KeyContext } from './key/key-provider.ts'
import type { ReaderHub } from './reader/reader-hub.ts'
import type { SessionHub } from './session/session-hub.ts'
import type { TransportSource } from './session/transport/transport.ts'

/** Additional dependencies of readers. */
export interface ReaderContext extends MapleContext {
  /** Those connected to this process. */
  readers: ReaderHub
}

/** Additional dependencies of sessions with secure elements. */
export interface SessionContext extends KeyContext, ReaderContext {
  /** The ways to an element: the first that reaches it has it. */
  transports: readonly TransportSource[]
  /** The sessions of this process. */
  sessions: SessionHub
  /** Seals commands that wait for another process. */
  sessionSecret: string
}

/** The dependencies of jobs that work with cards. */
export interface CardContext extends FleetContext, SessionContext {
  jobs: JobQueue<CardJobs>
}

export const cardEvents = defineEvents(
  'maple',
  [
    'software_card.break',
    'software_card.create',
    'software_card.delete',
    'software_card.forget',
    'software_card.reset',
    'software_card.restore',
    'software_card.snapshot',
    'software_card.update',
  ],
  {
    columns: (id) => ({
      service_id: sql`(select service_id from maple.software_card where cplc = ${id})`,
    }),
  },
)

/** Their subject is the element. */
export const keyEvents = defineEvents(
  'maple',
  [
    'key_set.import',
    'key_set.export',
    'key_set.retire',
    'key_set.wrap',
    'key_set.rotate',
    'key_set.rollback',
    'master.create',
    'master.delete',
  ],
  { columns: ofElement },
)

/** Their subject is the element. */
export const purposeKeyEvents = defineEvents(
  'maple',
  [
    'purpose_key.put',
    'purpose_key.import',
    'purpose_key.active',
    'purpose_key.forget',
    'purpose_key.ask',
    'purpose_key.sign',
  ],
  { columns: ofElement },
)

/** Their subject is the element. */
export const scp11Events = defineEvents('maple', ['scp11.create', 'scp11.choose', 'scp11.delete'], {
  columns: ofElement,
})

export const appletEvents = defineEvents(
  'maple',
  [
    'applet.upload',
    'applet.verify',
    'applet.release',
    'applet.revoke',
    'applet.delete',
    'applet.install',
    'applet.upgrade',
    'applet.uninstall',
    'applet.read',
    'applet.cancel',
    'applet.retry',
  ],
  {
    columns: (id) => ({
      service_id: sql`(select service_id from maple.applet where id = ${id}::uuid)`,
    }),
  },
)

export const sessionEvents = defineEvents(
  'maple',
  ['session.open', 'session.close', 'session.take_over'],
  {
    columns: (id) => ({
      service_id: sql`(select service_id from maple.session where id = ${id}::uuid)`,
    }),
  },
)

export const readerEvents = defineEvents(
  'maple',
  ['reader.create', 'reader.connect', 'reader.delete'],
  {
    columns: (id) => ({
      service_id: sql`(select service_id from maple.reader where id = ${id}::uuid)`,
    }),
  },
)
