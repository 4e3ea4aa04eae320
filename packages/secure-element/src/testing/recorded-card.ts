import { readHex, toHex } from '../bytes.ts'
import type { SeTransport } from '../host/transport.ts'

/** A card that expects exactly the recorded commands, in order, and returns the recorded replies. */
export function recordedCard(...rows: (readonly [command: string, reply: string])[]) {
  const left = [...rows]
  const sent: string[] = []
  const transport: SeTransport = {
    transmit(command) {
      const hex = toHex(command)
      sent.push(hex)
      const [row] = left.splice(0, 1)
      if (!row) return Promise.reject(new Error(`The recording ends before ${hex}`))
      const [expected, reply] = row
      if (hex !== expected.toUpperCase())
        return Promise.reject(new Error(`Recorded ${expected.toUpperCase()}, sent ${hex}`))
      return Promise.resolve(readHex(reply))
    },
  }
  return { transport, sent, left: () => left.length }
}
