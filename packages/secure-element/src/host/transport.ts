import { encodeCommand, parseResponse, type Command, type Response } from '../apdu.ts'
import { concat } from '../bytes.ts'
import { responseClass } from '../class-byte.ts'
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
/** The longest reply to a command with a one-byte length. */
const maxShortReply = 256

const moreData = 0x61
const wrongLength = 0x6c

/** GET DATA and GET STATUS change nothing, so running them twice is harmless. */
const readings = new Set([0xca, 0xcb, 0xf2])

/**
 * Sends a command once, and does what readers leave to the host (ISO/IEC 7816-4, 11.6.1): after
 * `61xx` the rest of the reply is fetched with GET RESPONSE. After `6Cxx`, which means that the card
 * ran nothing, a command without data or one that only reads is resent with the length that the card
 * named; any other is not, since cards may be wrong about that.
 * @throws DecodeError for a reply that is malformed, longer than requested, or endless.
 */
export async function exchange(
  transport: SeTransport,
  command: Command,
  observe?: (exchange: Exchange) => void,
): Promise<Response> {
  let next = command
  let isCorrected = false
  const pieces: Uint8Array[] = []
  for (let count = 0, size = 0; count < maxPieces; count++) {
    const sent = encodeCommand(next)
    const received = await transport.transmit(sent)
    observe?.({ sent, received })
    const { data, statusWord } = parseResponse(received)
    const most = next.isExtended ? maxBytes : maxShortReply
    if (data.length > most) throw tooLong(most, data.length)
    const [kind, length] = [statusWord >> 8, statusWord & 0xff || maxShortReply]
    const mayRepeat = next.data.length === 0 || readings.has(next.ins)
    if (kind === wrongLength && mayRepeat && !isCorrected && next.le !== undefined) {
      next = { ...next, le: length }
      isCorrected = true
      continue
    }
    pieces.push(data)
    size += data.length
    if (size > maxBytes) break
    if (kind !== moreData) return { data: concat(...pieces), statusWord }
    next = getResponse(command.cla, length)
    isCorrected = false
  }
  throw tooLong(maxBytes)
}

/** On the command's logical channel. */
const getResponse = (cla: number, le: number): Command => ({
  cla: responseClass(cla),
  ins: 0xc0,
  p1: 0,
  p2: 0,
  data: new Uint8Array(),
  le,
  isExtended: false,
})

const tooLong = (most: number, found?: number) =>
  new DecodeError('tooLong', most, {
    expected: `${most}`,
    ...(found !== undefined && { found: `${found}` }),
  })
