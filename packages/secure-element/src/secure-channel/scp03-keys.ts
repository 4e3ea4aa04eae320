import { concat } from '../bytes.ts'
import { aesKey } from '../crypto/aes.ts'
import type { KeySet, SessionKeys } from './key-set.ts'

/** Derivation constants (GlobalPlatform Amendment D, table 4-1). */
const constants = {
  cardCryptogram: 0x00,
  hostCryptogram: 0x01,
  cardChallenge: 0x02,
  enc: 0x04,
  mac: 0x06,
  rmac: 0x07,
} as const

type Purpose = keyof typeof constants

/** The AES-CMAC inputs, one for every 16 bytes of the derived value. */
export function scp03DerivationData(
  purpose: Purpose,
  context: Uint8Array,
  length: number,
): Uint8Array[] {
  const bits = length * 8
  const label = new Uint8Array(12)
  label[11] = constants[purpose]
  return Array.from({ length: Math.ceil(length / 16) }, (_, index) =>
    concat(label, [0, bits >> 8, bits & 0xff, index + 1], context),
  )
}

/** The KDF of Amendment D, 4.1.5: AES-CMAC in counter mode (NIST SP 800-108). */
export function derive(
  key: Uint8Array,
  purpose: Purpose,
  context: Uint8Array,
  length: number,
): Uint8Array {
  const cipher = aesKey(key)
  const blocks = scp03DerivationData(purpose, context, length).map((data) => cipher.mac(data))
  return concat(...blocks).slice(0, length)
}

/** SCP03 session keys. The DEK stays the static one. */
export function scp03SessionKeys(
  keys: KeySet,
  hostChallenge: Uint8Array,
  cardChallenge: Uint8Array,
): SessionKeys {
  const context = concat(hostChallenge, cardChallenge)
  return {
    enc: derive(keys.enc, 'enc', context, keys.enc.length),
    mac: derive(keys.mac, 'mac', context, keys.mac.length),
    rmac: derive(keys.mac, 'rmac', context, keys.mac.length),
    dek: keys.dek,
  }
}

/** The cryptogram that proves possession of the keys; as long as the challenges. */
export const scp03Cryptogram = (
  side: 'card' | 'host',
  sessionMac: Uint8Array,
  hostChallenge: Uint8Array,
  cardChallenge: Uint8Array,
): Uint8Array =>
  derive(
    sessionMac,
    side === 'card' ? 'cardCryptogram' : 'hostCryptogram',
    concat(hostChallenge, cardChallenge),
    cardChallenge.length,
  )

/** A pseudo-random card challenge of 8 or 16 bytes, from the sequence counter (option 10). */
export const scp03Challenge = (
  staticEnc: Uint8Array,
  sequenceCounter: Uint8Array,
  aid: Uint8Array,
  length: number,
): Uint8Array => derive(staticEnc, 'cardChallenge', concat(sequenceCounter, aid), length)
