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
 * The transport to an element in a reader; undefined if no reader of its service provider has it, and
 * the process to forward to if the reader is connected to another one. The card is opened with the
 * first command, after the session has its lease, and must report the requested CPLC: the reader
 * program's announcement only says where to look.
 */
export async function openReaderTransport(
  { db, readers }: Pick<ReaderContext, 'db' | 'readers'>,
  cplc: string,
): Promise<ReaderTransport | { processId: string; id: string } | undefined> {
  const found = await findReaderOf(db, cplc)
  if (!found) return undefined
  if (found.processId !== readers.processId) return found
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
