import type { SessionTransport } from '@grove/contract/maple/card/session.rules'
import type { SeTransport } from '@grove/secure-element/host/transport'
import { ProblemError } from '../../../../../core/http/problem.ts'
import type { ReaderContext, SessionContext } from '../../context.ts'
import type { KeyContext } from '../../key/key-provider.ts'

/** A way to one element, for as long as a session has it. */
export interface ElementTransport extends SeTransport {
  kind: SessionTransport
  close: () => Promise<void>
}

/** The dependencies of a source. */
export type TransportContext = KeyContext & ReaderContext

/** The query for the sources. */
export type WayContext = TransportContext & Pick<SessionContext, 'transports'>

/** The element is in a reader or device that is connected to another process. */
export interface Elsewhere {
  kind: 'reader' | 'device'
  /** That process also runs sessions: one that a person drives runs there, next to the connection. */
  processId: string
  /** The way through that process. */
  relayed: () => ElementTransport
}
export type Way = ElementTransport | Elsewhere

export const isElsewhere = (way: Way): way is Elsewhere => 'processId' in way

/** One kind of way to elements, such as PC/SC readers. */
export interface TransportSource {
  /** Returns undefined for an element that it cannot reach. */
  reach: (context: TransportContext, cplc: string) => Promise<Way | undefined>
  /** Whether sessions of other processes may ask this one for an element. */
  hasElements?: (context: TransportContext) => boolean
}

/** @throws ProblemError `transport_missing`. */
export async function wayTo(context: WayContext, cplc: string): Promise<Way> {
  for (const { reach } of context.transports) {
    const way = await reach(context, cplc)
    if (way) return way
  }
  throw new ProblemError(
    'transport_missing',
    'No reader and no connected device currently has this element, and it is not a software card.',
  )
}

/**
 * The way to an element from this process.
 * @throws ProblemError `transport_missing`.
 */
export async function transportFor(context: WayContext, cplc: string): Promise<ElementTransport> {
  const way = await wayTo(context, cplc)
  return isElsewhere(way) ? way.relayed() : way
}
