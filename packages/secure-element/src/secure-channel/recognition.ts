import { toHex } from '../bytes.ts'
import { DecodeError } from '../decode-error.ts'
import { parseTlv, type TlvNode } from '../tlv.ts'
import type { Protocol } from './security-level.ts'

/** The object identifier of secure channels, without protocol and option. */
const channelIdentifier = '2A864886FC6B04'
const protocols: Record<string, Protocol> = { '02': 'SCP02', '03': 'SCP03' }

export interface RecognisedChannel {
  protocol: Protocol
  /** Option `i`. */
  implementation: number
}

/**
 * The secure channels that a card lists in its recognition data (GlobalPlatform Card Specification
 * 2.3.1, H.2): in the reply to SELECT, or to GET DATA 66. Empty if there are none or the data is
 * invalid.
 */
export function recognisedChannels(data: Uint8Array): RecognisedChannel[] {
  const found: RecognisedChannel[] = []
  const visit = ({ tag, valueFrom, to, children = [] }: TlvNode) => {
    const hex = tag === '06' ? toHex(data.subarray(valueFrom, to)) : ''
    const protocol = protocols[hex.slice(-4, -2)]
    if (protocol && hex.startsWith(channelIdentifier) && hex.length === 18)
      found.push({ protocol, implementation: Number.parseInt(hex.slice(-2), 16) })
    children.forEach(visit)
  }
  try {
    parseTlv(data).forEach(visit)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
  }
  return found
}
