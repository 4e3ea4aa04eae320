import type { Command, Response } from '../apdu.ts'
import { DecodeError } from '../decode-error.ts'
import { getData } from '../host/commands.ts'
import { parseTlv } from '../tlv.ts'
import { ChannelError } from './channel-error.ts'
import type { CardGreeting } from './initialize-update.ts'

type SendOnce = (plain: Command, command: Command) => Promise<Response>

const success = 0x9000
const notSecure = 0x6982
const diversificationLength = 10

/**
 * The card's data for an implicit channel of SCP02, which has no INITIALIZE UPDATE: the sequence
 * counter of its keys, and diversification data if it has any. There is no cryptogram: the first
 * command proves the keys.
 */
export async function implicitGreeting(
  sendOnce: SendOnce,
  { keyVersion, implementation }: { keyVersion: number; implementation: number },
): Promise<CardGreeting> {
  const read = async (tag: string) => {
    const command = getData({ tag })
    const { data, statusWord } = await sendOnce(command, command)
    return statusWord === success ? { value: valueOf(data, tag), statusWord } : { statusWord }
  }
  const first = await read('C1')
  // A card whose channel is still open ends it at a command without a MAC.
  const { value: counter, statusWord } = first.statusWord === notSecure ? await read('C1') : first
  if (!counter) throw new ChannelError('initializeRefused', { statusWord })
  // Two bytes, or three of which the first is zero.
  if (counter.length < 2 || counter.length > 3)
    throw new ChannelError('malformedReply', { expected: '2 / 3', found: `${counter.length}` })
  const { value: found } = await read('CF')
  const diversificationData = new Uint8Array(diversificationLength)
  if (found) diversificationData.set(found.subarray(0, diversificationLength))
  return {
    protocol: 'SCP02',
    implementation,
    diversificationData,
    keyVersion,
    challenge: new Uint8Array(),
    cryptogram: new Uint8Array(),
    sequenceCounter: counter.slice(-2),
  }
}

function valueOf(data: Uint8Array, tag: string): Uint8Array {
  try {
    const found = parseTlv(data).find((each) => each.tag === tag)
    if (found) return data.slice(found.valueFrom, found.to)
  } catch (cause) {
    if (!(cause instanceof DecodeError)) throw cause
    throw new ChannelError('malformedReply', { cause })
  }
  throw new ChannelError('malformedReply', { expected: tag })
}
