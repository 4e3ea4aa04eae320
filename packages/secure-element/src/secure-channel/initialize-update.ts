import type { Command } from '../apdu.ts'
import { byteAt } from '../bytes.ts'
import { DecodeError } from '../decode-error.ts'
import type { Protocol } from './security-level.ts'

export const challengeLength = 8

/** The first command of a secure channel. Key version 0 lets the card choose the keys. */
export function initializeUpdate({
  keyVersion = 0,
  hostChallenge,
}: {
  keyVersion?: number
  hostChallenge: Uint8Array
}): Command {
  if (hostChallenge.length !== challengeLength)
    throw new DecodeError('wrongLength', 5, {
      expected: `${challengeLength}`,
      found: `${hostChallenge.length}`,
    })
  return {
    cla: 0x80,
    ins: 0x50,
    p1: keyVersion,
    p2: 0,
    data: hostChallenge,
    le: 256,
    isExtended: false,
  }
}

/** The card's reply to INITIALIZE UPDATE. */
export interface CardGreeting {
  protocol: Protocol
  /** Parameter `i`, which an SCP02 reply lacks. */
  implementation?: number
  /** Ten bytes of key diversification data. */
  diversificationData: Uint8Array
  keyVersion: number
  /** 8 bytes, with SCP02 6 bytes. */
  challenge: Uint8Array
  cryptogram: Uint8Array
  /** 2 bytes with SCP02; 3 bytes with an SCP03 whose challenges are pseudo-random. */
  sequenceCounter?: Uint8Array
}

/** Parses the reply data of INITIALIZE UPDATE: 28 bytes for SCP02, 29 or 32 for SCP03. */
export function parseInitializeUpdate(data: Uint8Array): CardGreeting {
  const { length } = data
  if (length < 12)
    throw new DecodeError('cutOff', length, { expected: '28 / 29 / 32', found: `${length}` })
  const protocol = byteAt(data, 11)
  const common = { diversificationData: data.slice(0, 10), keyVersion: byteAt(data, 10) }
  if (protocol === 2) {
    if (length !== 28)
      throw new DecodeError('wrongLength', 0, { expected: '28', found: `${length}` })
    return {
      ...common,
      protocol: 'SCP02',
      sequenceCounter: data.slice(12, 14),
      challenge: data.slice(14, 20),
      cryptogram: data.slice(20),
    }
  }
  if (protocol !== 3)
    throw new DecodeError('wrongValue', 11, {
      expected: '02 / 03',
      found: protocol.toString(16).toUpperCase().padStart(2, '0'),
    })
  const implementation = byteAt(data, 12)
  const wanted = (implementation & 0x10) === 0 ? 29 : 32
  if (length !== wanted)
    throw new DecodeError('wrongLength', 0, { expected: `${wanted}`, found: `${length}` })
  return {
    ...common,
    protocol: 'SCP03',
    implementation,
    challenge: data.slice(13, 21),
    cryptogram: data.slice(21, 29),
    ...(wanted === 32 && { sequenceCounter: data.slice(29) }),
  }
}
