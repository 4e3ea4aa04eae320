import { openReaderTransport } from '../../reader/reader-transport.ts'
import type { TransportSource } from './transport.ts'

/** An element in a PC/SC reader whose program is connected. */
export const openReader: TransportSource = async (context, cplc) => {
  const way = await openReaderTransport(context, cplc)
  return way && { ...way, kind: 'reader' }
}
