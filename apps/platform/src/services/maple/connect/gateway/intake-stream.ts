import { crc32 } from 'node:zlib'
import { partitions, type Stream } from '../../../../core/stream/stream.ts'
import type { MapleDb } from '../../base/tables.ts'
import { findHeld, type Given } from './intake.queries.ts'

/** Messages that one gateway received at the same time, as stored in the stream. */
export interface StreamBatch {
  /** The time of arrival, in milliseconds since 1970. */
  at: number
  given: Given[]
}

/** Room for the rest of a message: its headers, and the frame of the batch. */
const frameBytes = 1024

/** All messages of a device are in one partition, which keeps their order. */
export const partitionOf = (deviceId: string): number => crc32(deviceId) % partitions

interface Parts {
  stream: Pick<Stream, 'publish' | 'maxMessage'>
  db: MapleDb
  /** Milliseconds since 1970, by the clock that all processes share. */
  now: () => number
}

/** Writes messages of devices to the stream instead of the database. */
export function openIntakeStream({ stream, db, now }: Parts) {
  /** If a batch fails, the later ones fail too, so that nothing overtakes it. */
  async function publish(partition: number, batches: readonly Batch[], at: number) {
    let failure: Error | undefined
    for (const { places, text } of batches) {
      const data = `{"at":${at},"given":${text}}`
      if (!failure) await stream.publish(partition, data).catch((error: Error) => (failure = error))
      if (failure) for (const { fail } of places) fail(failure)
    }
  }

  return {
    /**
     * For each: whether it is stored, or why not. Messages of devices that wait for acceptance are
     * not stored.
     */
    async store(given: readonly Given[]): Promise<Answer[]> {
      const isHeld = await findHeld(
        db,
        given.filter(({ isEarly = false }) => isEarly),
      )
      const answers = given.map(
        ({ isEarly = false, deviceId }): Answer => !isEarly || !isHeld.has(deviceId),
      )
      const ofPartition = new Map<number, Place[]>()
      for (const [index, each] of given.entries()) {
        if (answers[index] === false) continue
        const place = { given: each, fail: (error: Error) => void (answers[index] = error) }
        const partition = partitionOf(each.deviceId)
        const all = ofPartition.get(partition)
        if (all) all.push(place)
        else ofPartition.set(partition, [place])
      }
      const at = Math.round(now())
      const most = stream.maxMessage() - frameBytes
      await Promise.all(
        [...ofPartition].map(([partition, all]) => publish(partition, batchesOf(all, most), at)),
      )
      return answers
    },
  }
}

type Answer = boolean | Error

interface Place {
  given: Given
  fail: (error: Error) => void
}

interface Batch {
  places: readonly Place[]
  text: string
}

/** Splits messages into batches that fit into a NATS message. */
function batchesOf(places: readonly Place[], most: number): Batch[] {
  const text = JSON.stringify(places.map(({ given }) => given))
  if (places.length === 1 || Buffer.byteLength(text) <= most) return [{ places, text }]
  const half = Math.ceil(places.length / 2)
  return [...batchesOf(places.slice(0, half), most), ...batchesOf(places.slice(half), most)]
}
