import type { Command } from '../apdu.ts'
import { byteAt } from '../bytes.ts'
import { DecodeError } from '../decode-error.ts'
import { hasPseudoRandomChallenge, macLengthOf, type Protocol } from './security-level.ts'

/** Lengths of a host challenge in bytes: 8, or 16 for SCP03 in S16 mode. */
export const challengeLengths = [8, 16] as const
export type ChallengeLength = (typeof challengeLengths)[number]

/** The first command of a secure channel. Key version 0 lets the card choose the keys. */
export function initializeUpdate({
  keyVersion = 0,
  hostChallenge,
}: {
  keyVersion?: number
  hostChallenge: Uint8Array
}): Command {
  if (!(challengeLengths as readonly number[]).includes(hostChallenge.length))
    throw new DecodeError('wrongLength', 5, {
      expected: challengeLengths.join(' / '),
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
  /** Option `i`. An SCP02 reply lacks it: the host adds what it knows. */
  implementation?: number
  /** Ten bytes of key diversification data. */
  diversificationData: Uint8Array
  keyVersion: number
  /** 8 bytes, with SCP02 6 bytes, with SCP03 in S16 mode 16 bytes. */
  challenge: Uint8Array
  cryptogram: Uint8Array
  /** 2 bytes with SCP02; 3 bytes with an SCP03 whose challenges are pseudo-random. */
  sequenceCounter?: Uint8Array
}

/** The length of challenges that a reply announces with its option `i`, if it is SCP03's. */
export const announcedChallengeLength = (data: Uint8Array): ChallengeLength | undefined =>
  data.length > 12 && byteAt(data, 11) === 3 ? macLengthOf('SCP03', byteAt(data, 12)) : undefined

/**
 * Parses the reply data of INITIALIZE UPDATE: 28 bytes for SCP02, 29 or 32 for SCP03, 45 or 48 in
 * S16 mode.
 */
export function parseInitializeUpdate(data: Uint8Array): CardGreeting {
  const { length } = data
  if (length < 12)
    throw new DecodeError('cutOff', length, {
      expected: '28 / 29 / 32 / 45 / 48',
      found: `${length}`,
    })
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
  const size = macLengthOf('SCP03', implementation)
  const isCounted = hasPseudoRandomChallenge('SCP03', implementation)
  const challengeFrom = 13
  const cryptogramFrom = challengeFrom + size
  const end = cryptogramFrom + size
  const wanted = end + (isCounted ? 3 : 0)
  if (length !== wanted)
    throw new DecodeError('wrongLength', 0, { expected: `${wanted}`, found: `${length}` })
  return {
    ...common,
    protocol: 'SCP03',
    implementation,
    challenge: data.slice(challengeFrom, cryptogramFrom),
    cryptogram: data.slice(cryptogramFrom, end),
    ...(isCounted && { sequenceCounter: data.slice(end) }),
  }
}
