import type { CedarDb } from '../tables.ts'
import { addOpens, type Opens } from './link.queries.ts'

interface CounterOptions {
  db: CedarDb
  /** Milliseconds since the epoch, by the database's clock. */
  now: () => number
  everyMs?: number
}

export interface OpenCounter {
  count: (linkId: string, productId: string) => void
  /** Writes the counts; failed ones are kept for the next time. */
  flush: () => Promise<void>
  stop: () => void
}

const everyFiveSeconds = 5000
const dayMs = 86_400_000

/**
 * Counts in memory and writes every few seconds, so an open costs no write. A killed process loses
 * the counts of its last seconds.
 */
export function openCounter({ db, now, everyMs = everyFiveSeconds }: CounterOptions): OpenCounter {
  let counted = new Map<string, Opens>()
  const add = (opens: Opens) => {
    const key = opens.linkId + opens.day
    const known = counted.get(key)
    if (known) known.count += opens.count
    else counted.set(key, { ...opens })
  }
  let day = { number: Number.NaN, text: '' }
  const today = () => {
    const number = Math.floor(now() / dayMs)
    if (number !== day.number)
      day = { number, text: new Date(number * dayMs).toISOString().slice(0, 10) }
    return day.text
  }
  const flush = async () => {
    if (counted.size === 0) return
    const taken = [...counted.values()]
    counted = new Map()
    try {
      await addOpens(db, taken)
    } catch (error) {
      taken.forEach(add)
      throw error
    }
  }
  const timer = setInterval(() => void flush().catch(() => {}), everyMs)
  timer.unref()
  return {
    count: (linkId, productId) => add({ linkId, productId, day: today(), count: 1 }),
    flush,
    stop: () => clearInterval(timer),
  }
}
