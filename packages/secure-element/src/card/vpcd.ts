import { connect, type Socket } from 'node:net'
import { readHex } from '../bytes.ts'
import type { SoftwareCard } from './software-card.ts'

/** T=1 with frames of 254 bytes, selection by full and partial name, extended lengths. */
export const answerToReset = readHex('3B8B8131FE458073C00140655653453031D6')

/** The meanings of a one-byte frame; the reader waits for a reply to the last one only. */
const controls = { off: 0x00, on: 0x01, reset: 0x02, answerToReset: 0x04 }

const headLength = 2

/**
 * Connects a card to a vpcd reader (vsmartcard, `vpcd.c`): each message is a two-byte length and a
 * body. Resolves when the reader closes the connection.
 */
export function connectToVpcd(
  card: SoftwareCard,
  { host, port, onExchange }: { host: string; port: number; onExchange?: () => void },
): { socket: Socket; closed: Promise<void> } {
  const socket = connect({ host, port })
  socket.setNoDelay(true)
  let waiting = Buffer.alloc(0)
  let work = Promise.resolve()

  const reply = (body: Uint8Array) => {
    socket.write(Buffer.concat([Buffer.of(body.length >> 8, body.length & 0xff), body]))
  }
  const handle = async (body: Uint8Array): Promise<void> => {
    if (body.length === 0) return
    if (body.length > 1) {
      reply(await card.transmit(body))
      onExchange?.()
      return
    }
    if (body[0] === controls.answerToReset) reply(answerToReset)
    else card.reset()
  }

  socket.on('data', (data) => {
    waiting = Buffer.concat([waiting, data])
    while (waiting.length >= headLength) {
      const end = headLength + waiting.readUInt16BE(0)
      if (waiting.length < end) return
      const body = new Uint8Array(waiting.subarray(headLength, end))
      waiting = waiting.subarray(end)
      // A card without power stays silent, which the reader sees as removal.
      work = work.then(() => handle(body)).catch(() => void socket.destroy())
    }
  })
  const closed = new Promise<void>((resolve, reject) => {
    socket.once('close', () => resolve())
    socket.once('error', reject)
  })
  return { socket, closed }
}
