import { isDatabaseUnavailable } from '../../../../core/database/unavailable.ts'
import { dayOf, makeDays } from '../../base/day-partitions.ts'
import type { MapleDb } from '../../base/tables.ts'
import { beginMessageDay, makeMessageDays } from '../device-connection/message-days.queries.ts'
import type { TelemetryStore } from '../telemetry/telemetry-store.ts'
import { momentOf, readingClock, type ReadingClock } from '../telemetry/telemetry.rules.ts'
import type { DeviceHub } from './device-hub.ts'
import { arrivalOf, storeMessages, type Given } from './intake.queries.ts'

export interface IntakeParts {
  db: MapleDb
  telemetry: TelemetryStore
  hub: Pick<DeviceHub, 'changed' | 'tell'>
  /** Milliseconds since 1970, by the clock that all processes share. */
  now: () => number
  /** Retention of readings. */
  telemetryDays: number
  warn: (what: string) => (error: unknown) => void
}

/**
 * Writes messages of devices into the database in batches, and notifies whoever watches the devices.
 */
export function openIntake({ db, telemetry, hub, now, telemetryDays, warn }: IntakeParts) {
  /** The current message day, and the reading days whose partitions are known to exist. */
  let begunDay = ''
  const preparedDays = new Set<string>()
  /** A batch has readings of many devices: one of a day without a partition would fail them all. */
  async function prepareDays(given: readonly Given[], tx?: MapleDb): Promise<ReadingClock> {
    const clockNow = readingClock(now(), telemetryDays)
    const today = dayOf(clockNow.now)
    if (!tx && today !== begunDay) {
      if (await makeMessageDays(db, clockNow.now)) await beginMessageDay(db, today)
      begunDay = today
      // Dropped partitions are older than any accepted reading.
      preparedDays.clear()
    }
    const days = new Set<string>()
    for (const each of given)
      if (each.message.t === 'telemetry') {
        const day = dayOf(momentOf(each.message.ts, arrivalOf(each, clockNow)))
        if (!preparedDays.has(day)) days.add(day)
      }
    const areMade = await makeDays(telemetry.of(tx ?? db), 'telemetry', [...days])
    // Partitions created in a transaction exist once it commits.
    if (areMade && !tx) for (const day of days) preparedDays.add(day)
    return clockNow
  }

  /** A day may have been dropped concurrently: it is created again by the retry. */
  async function inDays<Answer>(
    given: readonly Given[],
    work: (readings: ReadingClock) => Promise<Answer>,
    tx?: MapleDb,
  ): Promise<Answer> {
    try {
      return await work(await prepareDays(given, tx))
    } catch (error) {
      preparedDays.clear()
      throw error
    }
  }

  /**
   * While only the telemetry store is unavailable, all messages of devices with measurements get its
   * error and so stay in order; those of other devices are stored.
   */
  async function storeBatch(given: readonly Given[]): Promise<(boolean | Error)[]> {
    const work = (some: readonly Given[]) =>
      inDays(some, (readings) => storeMessages({ db, telemetry }, some, readings))
    try {
      return await work(given)
    } catch (error) {
      const measuring = new Set(
        given.flatMap(({ deviceId, message }) => (message.t === 'telemetry' ? deviceId : [])),
      )
      const others = given.filter(({ deviceId }) => !measuring.has(deviceId))
      const isMixed = others.length > 0 && others.length < given.length
      if (!telemetry.isApart || !isMixed || !isDatabaseUnavailable(error)) throw error
      const answers = (await work(others)).values()
      return given.map(({ deviceId }) =>
        measuring.has(deviceId) ? (error as Error) : answers.next().value === true,
      )
    }
  }

  /** Clients in this process see it immediately; results are announced to other processes as well. */
  async function announce(given: readonly Given[]) {
    const answered = new Set<string>()
    const others = new Set<string>()
    for (const { deviceId, message, command } of given)
      if (command !== undefined || message.t === 'reported') answered.add(deviceId)
      else others.add(deviceId)
    for (const id of others) hub.changed(id)
    await hub.tell('news', [...answered])
  }

  return {
    /** For each: whether its boot is known, or why it is not stored. */
    async store(given: readonly Given[]): Promise<(boolean | Error)[]> {
      const answers = await storeBatch(given)
      const kept = given.filter((_, at) => typeof answers[at] === 'boolean')
      announce(kept).catch(warn('Other processes were not told of what devices said'))
      return answers
    },
    /** For code that stores readings in a transaction of its own. */
    inDays,
  }
}

export type Intake = ReturnType<typeof openIntake>
