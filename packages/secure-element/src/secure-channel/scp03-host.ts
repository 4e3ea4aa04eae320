import type { Command, Response } from '../apdu.ts'
import { concat } from '../bytes.ts'
import { aesBlock, aesKey, type AesKey } from '../crypto/aes.ts'
import { padded, unpadded } from '../crypto/padding.ts'
import { ChannelError } from './channel-error.ts'
import type { ChannelKeys } from './key-set.ts'
import { isSame, securedClass, splitMac, type HostMessaging } from './messaging.ts'
import {
  hasCommandEncryption,
  hasCommandMac,
  hasResponseEncryption,
  hasResponseMac,
  isProtectedReply,
  type SecurityLevel,
} from './security-level.ts'

const maxCommands = 0xffff_ffff
const maxData = 0xffff

/** Lc as sent: one byte, or `00` and two, also for a short command sent as an extended one. */
export const lengthField = (length: number, isExtended = false): number[] =>
  isExtended || length > 0xff ? [0, length >> 8, length & 0xff] : [length]

/** The IV: the encrypted counter, whose top byte is 80 for replies. */
export function counterBlock(counter: number, isReply: boolean): Uint8Array {
  const block = new Uint8Array(aesBlock)
  new DataView(block.buffer).setUint32(aesBlock - 4, counter)
  if (isReply) block[0] = 0x80
  return block
}

/**
 * Encrypts padded data. The counter is prepended as a block: in CBC mode its ciphertext is then the
 * IV, which saves a cipher call.
 */
export const encryptedBehind = (key: AesKey, counter: Uint8Array, data: Uint8Array): Uint8Array =>
  key.encrypt(concat(counter, padded(data, aesBlock))).subarray(aesBlock)

/**
 * Secure messaging of SCP03 (GlobalPlatform Amendment D, 6.2). `firstChain` is the full 16-byte MAC
 * of EXTERNAL AUTHENTICATE; `macLength` is 8, or 16 in S16 mode.
 */
export function scp03Host(
  keys: ChannelKeys,
  level: SecurityLevel,
  macLength: number,
  firstChain: Uint8Array = new Uint8Array(aesBlock),
): HostMessaging & { chain(): Uint8Array } {
  const enc = aesKey(keys.enc)
  const mac = aesKey(keys.mac)
  const rmac = aesKey(keys.rmac)
  let chain = firstChain
  let counter = 0

  const encrypted = (data: Uint8Array): Uint8Array => {
    if (counter >= maxCommands) throw new ChannelError('tooManyCommands')
    // The counter also increases for commands without data.
    counter++
    if (data.length === 0) return data
    return encryptedBehind(enc, counterBlock(counter, false), data)
  }

  return {
    chain: () => chain,
    wrap(command: Command) {
      if (!hasCommandMac(level)) return command
      const cla = securedClass(command.cla)
      const { ins, p1, p2, le = 0 } = command
      if (command.data.length > maxData - macLength - aesBlock)
        throw new ChannelError('commandTooLong', {
          expected: `${maxData - macLength - aesBlock}`,
          found: `${command.data.length}`,
        })
      const data = hasCommandEncryption(level) ? encrypted(command.data) : command.data
      const length = data.length + macLength
      const isExtended = length > 0xff || le > 0x100
      chain = mac.mac(chain, [cla, ins, p1, p2], lengthField(length, isExtended), data)
      return {
        ...command,
        cla,
        data: concat(data, chain.subarray(0, macLength)),
        isExtended,
      }
    },
    unwrap(response: Response) {
      if (!hasResponseMac(level)) return response
      const { statusWord } = response
      if (!isProtectedReply(statusWord)) {
        if (response.data.length === 0) return response
        throw new ChannelError('unexpectedData', { statusWord, found: `${response.data.length}` })
      }
      const { plain, mac: found } = splitMac(response, macLength)
      const word = [statusWord >> 8, statusWord & 0xff]
      const wanted = rmac.mac(chain, plain, word).subarray(0, macLength)
      if (!isSame(wanted, found)) throw new ChannelError('wrongResponseMac', { statusWord })
      if (!hasResponseEncryption(level) || plain.length === 0) return { data: plain, statusWord }
      const data =
        plain.length % aesBlock === 0
          ? unpadded(enc.decrypt(plain, enc.encryptBlock(counterBlock(counter, true))))
          : undefined
      if (!data)
        throw new ChannelError('wrongResponsePadding', { statusWord, found: `${plain.length}` })
      return { data, statusWord }
    },
  }
}
