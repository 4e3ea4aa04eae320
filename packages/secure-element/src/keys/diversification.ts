import { concat } from '../bytes.ts'
import { aesKey } from '../crypto/aes.ts'
import { tripleDesKey } from '../crypto/triple-des.ts'
import { DecodeError } from '../decode-error.ts'
import { hostKeys, type KeySource } from '../secure-channel/key-source.ts'
import type { KeySet } from '../secure-channel/key-set.ts'

/** Ways to derive a card's keys from master keys and ten bytes of diversification data. */
export type Diversification = 'EMV' | 'VISA2' | 'KDF3'

const usages = { enc: 1, mac: 2, dek: 3 } as const

type Usage = keyof typeof usages

export const diversificationDataLength = 10

/**
 * EMV takes the last six bytes of the data (EMV Card Personalization Specification 1.1, 4.1), VISA2
 * its bytes 0, 1 and 4 to 7: twice, followed by F0 and 0F and the key number, encrypted with triple
 * DES.
 */
function tripleDes(method: 'EMV' | 'VISA2', master: Uint8Array, usage: Usage, data: Uint8Array) {
  const part = method === 'EMV' ? data.slice(4) : concat(data.subarray(0, 2), data.subarray(4, 8))
  const number = usages[usage]
  return tripleDesKey(master).encryptBlocks(concat(part, [0xf0, number], part, [0x0f, number]))
}

/** KDF3 of GlobalPlatformPro: AES-CMAC in counter mode over the key number and the data. */
function kdf3(master: Uint8Array, usage: Usage, data: Uint8Array): Uint8Array {
  const cipher = aesKey(master)
  const context = concat([0, 0, 0, usages[usage], 0], data)
  const blocks = Array.from({ length: Math.ceil(master.length / 16) }, (_, index) =>
    cipher.mac(concat([index + 1], context)),
  )
  return concat(...blocks).slice(0, master.length)
}

/** One key of a card. */
export function diversifiedKey(
  method: Diversification,
  master: Uint8Array,
  usage: Usage,
  data: Uint8Array,
): Uint8Array {
  if (data.length !== diversificationDataLength)
    throw new DecodeError('wrongLength', 0, {
      expected: `${diversificationDataLength}`,
      found: `${data.length}`,
    })
  return method === 'KDF3' ? kdf3(master, usage, data) : tripleDes(method, master, usage, data)
}

/** The three keys of a card. */
export const diversifiedKeys = (
  method: Diversification,
  master: KeySet,
  data: Uint8Array,
): KeySet => ({
  enc: diversifiedKey(method, master.enc, 'enc', data),
  mac: diversifiedKey(method, master.mac, 'mac', data),
  dek: diversifiedKey(method, master.dek, 'dek', data),
})

/** Master keys as the source of session keys: keys are derived for each card. */
export const masterKeys =
  (method: Diversification, master: KeySet): KeySource =>
  (greeting, hostChallenge) =>
    hostKeys(diversifiedKeys(method, master, greeting.diversificationData), greeting, hostChallenge)
