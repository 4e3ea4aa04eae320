import { openReaderTransport } from '../../reader/reader-transport.ts'
import type { TransportSource } from './transport.ts'

/** An element in a PC/SC reader whose program is connected. */
export const readerTransport: TransportSource = {
  async reach(context, cplc) {
    const way = await openReaderTransport(context, cplc)
    return way && { ...way, kind: 'reader' }
  },
  hasElements: ({ readers }) => readers.live.size > 0,
}
