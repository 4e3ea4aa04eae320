import { subscriberOf } from '../../../core/http/network.ts'
import { ProblemError } from '../../../core/http/problem.ts'

// Far more than the networks that call within the same minute.
const maxNetworks = 20_000

/**
 * Limits what one network sends with anonymous tokens, which are free. High enough for a mobile
 * carrier, whose customers share addresses. Each process counts for itself.
 * @throws ProblemError `too_many_attempts`.
 */
export function networkLimit(perMinute: number, now: () => number): (ip: string) => void {
  const spacing = 60_000 / perMinute
  // When each network's bucket is full again, least recently used first.
  const fullAt = new Map<string, number>()
  return (ip) => {
    const network = subscriberOf(ip)
    const time = now()
    const at = Math.min(Math.max(fullAt.get(network) ?? time, time), time + 60_000)
    fullAt.delete(network)
    const isOver = at + spacing > time + 60_000
    fullAt.set(network, isOver ? at : at + spacing)
    if (fullAt.size > maxNetworks) fullAt.delete(fullAt.keys().next().value ?? '')
    if (isOver)
      throw new ProblemError(
        'too_many_attempts',
        `One network may make ${perMinute} of these calls per minute. Wait and try again.`,
        { retryAfter: Math.ceil((at + spacing - time - 60_000) / 1000) },
      )
  }
}
