import { encodeCommand, parseResponse, type Command, type Response } from '../apdu.ts'
import { concat } from '../bytes.ts'
import { DecodeError } from '../decode-error.ts'

/** A connection to a secure element: one command APDU out, one response APDU back. */
export interface SeTransport {
  transmit(command: Uint8Array): Promise<Uint8Array>
}

/** Raw bytes of an exchange. */
export interface Exchange {
  sent: Uint8Array
  received: Uint8Array
}

const maxPieces = 257
const maxBytes = 65_536

/**
 * Sends a command once. After `61xx` the rest of the reply is fetched with GET RESPONSE (ISO/IEC
 * 7816-4, 11.6.1): readers leave that to the host for T=0 cards.
 */
export async function exchange(
  transport: SeTransport,
  command: Command,
  observe?: (exchange: Exchange) => void,
): Promise<Response> {
  let sent = encodeCommand(command)
  const pieces: Uint8Array[] = []
  for (let count = 0, size = 0; count < maxPieces; count++) {
    const received = await transport.transmit(sent)
    observe?.({ sent, received })
    const { data, statusWord } = parseResponse(received)
    pieces.push(data)
    size += data.length
    if (size > maxBytes) break
    if (statusWord >> 8 !== 0x61) return { data: concat(...pieces), statusWord }
    sent = Uint8Array.of(command.cla & 0x03, 0xc0, 0, 0, statusWord & 0xff)
  }
  throw new DecodeError('tooLong', maxBytes, { expected: `${maxBytes}` })
}
