import type { ProblemCode } from '@grove/contract/problem-codes'
import { processActor } from '../actor.ts'
import type { Db } from '../database/database.ts'
import type { Events } from '../events/define-events.ts'

/** Refusals typical of an attack, by problem code. */
export const watched: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'wrong_credentials',
  'wrong_password',
  'too_many_attempts',
  'too_many_changes',
  'too_many_uploads',
  'invalid_refresh_token',
  'invalid_email_token',
  'invalid_link_token',
  'external_sign_in_failed',
  'account_disabled',
  'unauthorized',
  'forbidden',
  'unknown_host',
  'file_damaged',
])

interface Refusals {
  count: number
  byAddress: Map<string, number>
}

interface CounterOptions {
  db: Db
  /** The events of a service by name; the first takes those that belong to none. */
  events: readonly Events<never>[]
  warn: (fields: object, message: string) => void
  everyMs?: number
}

export interface SecurityCounter {
  count: (code: ProblemCode, service: string | undefined, ip: string) => void
  /** Since the start, by code. */
  totals: () => ReadonlyMap<string, number>
  flush: () => Promise<void>
  stop: () => void
}

const everyMinute = 60_000
// A flood from many addresses must not fill the memory.
const maxAddresses = 1000
const shownAddresses = 5

/**
 * Counts refusals, and once a minute writes an event and a log line per code: a row per attempt would
 * let strangers fill the disk.
 */
export function securityCounter(options: CounterOptions): SecurityCounter {
  const { db, events, warn, everyMs = everyMinute } = options
  const totals = new Map<string, number>()
  let minute = new Map<string, Refusals>()
  const actor = processActor('grove')

  const flush = async () => {
    const refusals = minute
    minute = new Map()
    for (const [key, { count, byAddress }] of refusals) {
      const [schema = '', code = ''] = key.split(' ')
      const addresses = [...byAddress]
        .toSorted(([, one], [, other]) => other - one)
        .slice(0, shownAddresses)
        .map(([ip, times]) => ({ ip, count: times }))
      warn({ code, count, addresses }, 'requests were refused')
      const own = events.find((candidate) => candidate.schema === schema) ?? events[0]
      const after = { count, addresses }
      await own?.record(db, actor, 'security.refused' as never, code, { after })
    }
  }
  const timer = setInterval(() => void flush().catch(() => {}), everyMs)
  timer.unref()
  return {
    count(code, service, ip) {
      if (!watched.has(code)) return
      totals.set(code, (totals.get(code) ?? 0) + 1)
      const key = `${service ?? ''} ${code}`
      const refusals = minute.get(key) ?? { count: 0, byAddress: new Map<string, number>() }
      minute.set(key, refusals)
      refusals.count += 1
      if (refusals.byAddress.size < maxAddresses || refusals.byAddress.has(ip))
        refusals.byAddress.set(ip, (refusals.byAddress.get(ip) ?? 0) + 1)
    },
    totals: () => totals,
    flush,
    stop: () => clearInterval(timer),
  }
}
