import type { FastifyInstance } from 'fastify'
import type { ProblemCode } from '@grove/contract/problem-codes'
import { watched } from './security-counter.ts'

/** Delays a refusal if due. */
export type WaitToRefuse = (code: ProblemCode, ip: string) => Promise<void>

interface Pace {
  burst: number
  perSecond: number
}

/** Refusals that a process answers immediately, over all addresses. */
const everybody: Pace = { burst: 200, perSecond: 100 }
/** Refusals of one address that are not a flood: they are answered immediately even during one. */
const address: Pace = { burst: 20, perSecond: 1 }
const longestMs = 5000
const maxAddresses = 10_000

/**
 * Slows down a sender with repeated refusals while the process refuses more than it can afford. A
 * flood sends its next request after each response, so late responses slow it down. They cost us a
 * timer, and no further request is refused.
 */
export function refusalPace(now: () => number = () => performance.now()) {
  const all = bucket(everybody)
  const byAddress = new Map<string, ReturnType<typeof bucket>>()
  /** The delay of the refusal in milliseconds. */
  return (ip: string): number => {
    const time = now()
    const own = byAddress.get(ip) ?? bucket(address)
    byAddress.delete(ip)
    byAddress.set(ip, own)
    if (byAddress.size > maxAddresses) byAddress.delete(byAddress.keys().next().value ?? '')
    const overAll = all(time)
    return own(time) > 0 ? overAll : 0
  }
}

/** Counts one more, and returns by how many milliseconds it exceeds the rate. */
function bucket({ burst, perSecond }: Pace): (time: number) => number {
  const spacing = 1000 / perSecond
  let emptyAt = 0
  return (time) => {
    const over = Math.max(emptyAt, time) + spacing - time - burst * spacing
    const taken = Math.min(Math.max(over, 0), longestMs)
    emptyAt = time + Math.min(over, longestMs) + burst * spacing
    return taken
  }
}

export function installRefusalPace(app: FastifyInstance): WaitToRefuse {
  const pace = refusalPace()
  const waiting = new Map<NodeJS.Timeout, () => void>()
  let isClosing = false
  // Closing the server waits for all pending requests.
  app.addHook('preClose', async () => {
    isClosing = true
    for (const [timer, resolve] of waiting) {
      clearTimeout(timer)
      resolve()
    }
    waiting.clear()
  })
  return async (code, ip) => {
    if (!watched.has(code)) return
    const wait = pace(ip)
    if (wait === 0 || isClosing) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        waiting.delete(timer)
        resolve()
      }, wait)
      waiting.set(timer, resolve)
    })
  }
}
