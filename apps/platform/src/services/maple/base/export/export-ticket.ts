import type { Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { seal, unseal } from '../../../../core/sealed.ts'
import type { MapleContext } from '../context.ts'

interface TicketContext extends Pick<MapleContext, 'now'> {
  /** Signs the addresses. */
  exportSecret: string
}

const ticketMs = 60_000

/** Addresses for the browser's own downloads, which send no token. Each is good for a minute. */
export function ticketsOf<Given extends object>(path: `/api/${string}`) {
  type Ticket = Given & { actor: Actor }
  const purpose = `maple export ${path}`
  return {
    address({ exportSecret, now }: TicketContext, { actor, ...given }: Ticket) {
      const until = now() + ticketMs
      const text = JSON.stringify({ ...given, actor: { ...actor, sessionId: undefined }, until })
      const ticket = seal(text, exportSecret, purpose)
      return { address: `${path}?ticket=${ticket}`, expiresAt: new Date(until).toISOString() }
    },

    /** @throws ProblemError `not_found` for a forged or expired ticket, or one of another file. */
    read({ exportSecret, now }: TicketContext, ticket: string): Ticket {
      const given = opened(exportSecret, ticket)
      if (given.until < now())
        throw new ProblemError('not_found', 'The URL of this download has expired.')
      return given
    },
  }

  function opened(secret: string, ticket: string) {
    try {
      return JSON.parse(unseal(ticket, secret, purpose)) as Ticket & { until: number }
    } catch {
      throw new ProblemError('not_found', 'There is no such download.')
    }
  }
}
