import { onLogicalChannel } from '../class-byte.ts'
import type { SeTransport } from './transport.ts'

/**
 * The transport of one logical channel of a card, 0 to 3: commands are written with the basic
 * channel's class bytes, and get the number on the way. A secure channel opened through it belongs to
 * the logical channel: its MACs cover class bytes with the number zero, as GlobalPlatform requires
 * (Card Specification 2.3.1, E.4.4; Amendment D, 6.2.4). The logical channel must be open.
 *
 * @example await openSecureChannel(logicalChannel(transport, 1), { keys, level: 0x33 })
 */
export const logicalChannel = (transport: SeTransport, number: number): SeTransport => ({
  async transmit(bytes) {
    const [cla] = bytes
    if (number === 0 || cla === undefined) return transport.transmit(bytes)
    const sent = bytes.slice()
    sent[0] = onLogicalChannel(cla, number)
    return transport.transmit(sent)
  },
})
