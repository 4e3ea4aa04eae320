import { randomUUID } from 'node:crypto'
import type { ReaderContext } from '../context.ts'
import { provenCard } from '../session/transport/proven-card.ts'
import { ReaderLost } from './reader-hub.ts'
import { findReaderOf } from './reader.queries.ts'

export interface ReaderTransport {
  transmit: (command: Uint8Array) => Promise<Uint8Array>
  close: () => Promise<void>
}

/**
 * The way to an element in a reader; undefined when none of its service provider has it, and the
 * process to ask when the reader is connected to another one. The card
 * is taken with the first command, after the lease of the session is held, and must show the CPLC
 * that was asked for: what the reader's program says about it is only where to look.
 */
export async function openReaderTransport(
  { db, readers }: Pick<ReaderContext, 'db' | 'readers'>,
  cplc: string,
): Promise<ReaderTransport | { processId: string } | undefined> {
  const found = await findReaderOf(db, cplc)
  if (!found) return undefined
  if (found.processId !== readers.processId) return { processId: found.processId }
  const session = randomUUID()
  return provenCard(cplc, {
    async send(command, isFirst) {
      const reader = readers.live.get(found.id)
      if (!reader) throw new ReaderLost('absent')
      return reader.transmit(session, isFirst, command)
    },
    end: () => readers.live.get(found.id)?.endSession(session),
  })
}
