import { setTimeout as wait } from 'node:timers/promises'
import { partitions, type Claim, type Stream, type Taken } from '../../../../core/stream/stream.ts'
import type { MapleDb } from '../../base/tables.ts'
import type { StreamBatch } from './intake-stream.ts'
import type { Intake } from './intake.ts'
import { openBoots, type Given } from './intake.queries.ts'

interface Parts {
  stream: Pick<Stream, 'claim' | 'attend' | 'members'>
  intake: Pick<Intake, 'store'>
  db: MapleDb
  log: Record<'warn' | 'error', (fields: object, message: string) => void>
}

const rowsOfBatch = 5000
const attendMs = 1000
/** The pause in which another process tries. */
const restMs = 2000
const claimMs = 250

/**
 * PostgreSQL's codes for data that no column accepts, a violated constraint, or exceeded limits. A
 * missing partition is created by the next attempt.
 */
const isRefusal = (error: unknown): boolean => {
  const { code, message } = error as { code?: unknown; message?: string }
  if (code === '23514' && message?.startsWith('no partition')) return false
  return typeof code === 'string' && /^(22|23|54)...$/.test(code)
}

/**
 * Reads messages of devices from the stream and writes them into the database. Each partition belongs
 * to one process, which starts with the oldest batch: after any failure it starts there again, so a
 * device’s messages keep their order. What was written but not acknowledged is written again, which
 * stores nothing twice.
 */
export function openIntakeWriter({ stream, intake, db, log }: Parts) {
  const stop = new AbortController()
  const isStopped = () => stop.signal.aborted
  const pause = (ms: number) => wait(ms, undefined, { signal: stop.signal }).catch(() => {})
  let restsUntil = 0
  let isFailing = false
  const counts = { stored: 0, again: 0, refused: 0 }
  /** The last stream position that this process took from each partition. */
  const seen = new Map<number, number>()

  const isResting = () => performance.now() < restsUntil
  const isOurs = (partition: number) => {
    const { ids, own } = stream.members()
    return !isStopped() && !isResting() && ids[partition % ids.length] === own
  }
  const timer = setInterval(() => stream.attend(!isResting()), attendMs)

  function rest(error: unknown) {
    if (!isFailing)
      log.warn(
        { reason: error instanceof Error ? error.message : 'unknown' },
        'What devices said waits in NATS: it cannot be stored',
      )
    isFailing = true
    restsUntil = performance.now() + restMs
    stream.attend(false)
  }

  async function follow(partition: number) {
    while (!isStopped()) {
      const claimed = isOurs(partition)
        ? await stream.claim(partition).catch(() => undefined)
        : undefined
      if (claimed) await take(partition, claimed)
      await pause(claimMs)
    }
  }

  async function take(partition: number, claimed: Claim) {
    try {
      await work(partition, claimed)
    } catch (error) {
      rest(error)
    } finally {
      await claimed.release()
    }
  }

  async function work(partition: number, claimed: Claim) {
    while (isOurs(partition)) {
      const taken = await claimed.take()
      if (!taken) return
      for (const { place } of taken)
        if (place <= (seen.get(partition) ?? 0)) counts.again += 1
        else seen.set(partition, place)
      for (const some of inBatches(taken.map(read))) await write(some)
    }
  }

  /** Throws if another attempt may succeed. */
  async function write(some: readonly Read[]) {
    const answers = await keep(some.flatMap(({ given }) => given))
    let failure: Error | undefined
    for (const { given, taken } of some) {
      const own = answers.splice(0, given.length)
      const error = own.find((answer) => answer instanceof Error)
      if (error) failure ??= error
      else taken.acknowledge()
    }
    if (failure) throw failure
    if (isFailing) log.warn({}, 'What devices said is stored again')
    isFailing = false
  }

  async function keep(given: readonly Given[]): Promise<(boolean | Error)[]> {
    if (given.length === 0) return []
    try {
      const answers = await intake.store(given)
      const unknown = given.filter((_, at) => answers[at] === false)
      counts.stored += answers.filter((answer) => answer === true).length
      return unknown.length === 0 ? answers : await keepUnknown(given, answers)
    } catch (error) {
      if (!isRefusal(error)) throw error
      // One of them cannot be stored, and must not hold up the others.
      if (given.length > 1) {
        const half = Math.ceil(given.length / 2)
        return [...(await keep(given.slice(0, half))), ...(await keep(given.slice(half)))]
      }
      refuse(given, (error as Error).message)
      return [false]
    }
  }

  /**
   * The device was told that these are stored: if their boot has been forgotten since, it is opened
   * again.
   */
  async function keepUnknown(given: readonly Given[], answers: (boolean | Error)[]) {
    const unknown = given.filter((_, at) => answers[at] === false)
    await openBoots(db, unknown)
    const again = await intake.store(unknown)
    counts.stored += again.filter((answer) => answer === true).length
    refuse(
      unknown.filter((_, at) => again[at] === false),
      'The device was deleted.',
    )
    const rest = again.values()
    return answers.map((answer) => (answer === false ? (rest.next().value ?? false) : answer))
  }

  function refuse(given: readonly Given[], reason: string) {
    counts.refused += given.length
    for (const { deviceId: device, message } of given) {
      const { t: kind, boot, seq } = message
      log.error({ device, kind, boot, seq, reason }, 'A message of a device can never be stored')
    }
  }

  /** Unexpected messages from other publishers must not stop it. */
  function read(taken: Taken): Read {
    try {
      const { at, given } = JSON.parse(taken.text()) as StreamBatch
      return { taken, given: given.map((each) => ({ ...each, isEarly: false, at })) }
    } catch (error) {
      counts.refused += 1
      log.error({ reason: (error as Error).message }, 'What is in NATS is no message of a device')
      return { taken, given: [] }
    }
  }

  const following = Array.from({ length: partitions }, (_, partition) => follow(partition))
  return {
    counts: (): Readonly<typeof counts> => counts,
    async close() {
      stop.abort()
      clearInterval(timer)
      await Promise.all(following)
      stream.attend(false)
    },
  }
}

interface Read {
  taken: Taken
  given: Given[]
}

function* inBatches(all: readonly Read[]): Generator<Read[]> {
  let some: Read[] = []
  let rows = 0
  for (const each of all) {
    if (rows > 0 && rows + each.given.length > rowsOfBatch) {
      yield some
      some = []
      rows = 0
    }
    some.push(each)
    rows += each.given.length
  }
  if (some.length > 0) yield some
}
