import { openReaderTransport } from '../../reader/reader-transport.ts'
import type { ElementRelay } from '../../relay/element-relay.ts'
import type { TransportSource } from './transport.ts'

/** An element in a PC/SC reader whose program is connected. */
export const readerTransport = (relay: ElementRelay): TransportSource => ({
  async reach(context, cplc) {
    const way = await openReaderTransport(context, cplc)
    if (!way) return undefined
    if (!('processId' in way)) return { ...way, kind: 'reader' }
    const { processId, id: at } = way
    return {
      kind: 'reader',
      processId,
      relayed: () => relay.wayTo({ processId, kind: 'reader', at }, cplc),
    }
  },
  hasElements: ({ readers }) => readers.live.size > 0,
})
