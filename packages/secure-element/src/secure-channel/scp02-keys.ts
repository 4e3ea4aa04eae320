import { byteAt, concat } from '../bytes.ts'
import { tripleDesKey } from '../crypto/triple-des.ts'
import type { KeySet, SessionKeys } from './key-set.ts'

/** Derivation constants (GlobalPlatform Card Specification 2.3.1, E.4.1). */
const constants = { mac: 0x0101, rmac: 0x0102, dek: 0x0181, enc: 0x0182 } as const

type Purpose = keyof typeof constants

/** What the static key encrypts in CBC mode, after a zero block, to derive the session key. */
export function scp02DerivationData(purpose: Purpose, counter: Uint8Array): Uint8Array {
  const constant = constants[purpose]
  return concat([constant >> 8, constant & 0xff], counter, new Uint8Array(12))
}

const derive = (key: Uint8Array, purpose: Purpose, counter: Uint8Array) =>
  tripleDesKey(key).encrypt(scp02DerivationData(purpose, counter))

/** SCP02 session keys, from the two-byte sequence counter. */
export const scp02SessionKeys = (keys: KeySet, counter: Uint8Array): SessionKeys => ({
  enc: derive(keys.enc, 'enc', counter),
  mac: derive(keys.mac, 'mac', counter),
  rmac: derive(keys.mac, 'rmac', counter),
  dek: derive(keys.dek, 'dek', counter),
})

/** The cryptogram that proves possession of the keys: 8 bytes. `challenge` has the card's 6 bytes. */
export function scp02Cryptogram(
  side: 'card' | 'host',
  sessionEnc: Uint8Array,
  hostChallenge: Uint8Array,
  counter: Uint8Array,
  challenge: Uint8Array,
): Uint8Array {
  const card = concat(counter, challenge)
  const [first, second] = side === 'card' ? [hostChallenge, card] : [card, hostChallenge]
  return tripleDesKey(sessionEnc).fullMac(concat(first, second))
}

/** A pseudo-random card challenge, derived from the sequence counter (option 40): 6 bytes. */
export const scp02Challenge = (sessionMac: Uint8Array, aid: Uint8Array): Uint8Array =>
  tripleDesKey(sessionMac).mac(aid).slice(0, 6)

export const scp02Counter = (counter: Uint8Array): number =>
  (byteAt(counter, 0) << 8) | byteAt(counter, 1)
