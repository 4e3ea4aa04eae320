import type { Command } from '../apdu.ts'
import { concat } from '../bytes.ts'
import { padded } from '../crypto/padding.ts'
import { desBlock, tripleDesKey } from '../crypto/triple-des.ts'
import type { ChannelKeys } from './key-set.ts'
import { macLength, securedClass, type HostMessaging } from './messaging.ts'
import { lengthField } from './scp03-host.ts'
import { hasCommandEncryption, hasCommandMac, type SecurityLevel } from './security-level.ts'

/**
 * Secure messaging of SCP02 with options 15 and 55 (GlobalPlatform Card Specification 2.3.1, E.4):
 * the MAC covers the command with its new class and length but before encryption, and its IV is the
 * encrypted MAC of the previous command. A command that is sent in pieces has one MAC, over the length
 * of the whole as `00` and two bytes. Replies are not protected.
 */
export function scp02Host(
  keys: ChannelKeys,
  level: SecurityLevel,
  firstMac?: Uint8Array,
): HostMessaging & { lastMac(): Uint8Array | undefined } {
  const enc = tripleDesKey(keys.enc)
  const mac = tripleDesKey(keys.mac)
  let last = firstMac

  return {
    lastMac: () => last,
    wrap(command: Command) {
      if (!hasCommandMac(level)) return command
      const cla = securedClass(command.cla)
      const { ins, p1, p2, data } = command
      const iv = last && mac.encryptSingle(last)
      last = mac.mac(concat([cla, ins, p1, p2], lengthField(data.length + macLength), data), iv)
      const isEncrypted = hasCommandEncryption(level) && data.length > 0
      const sent = isEncrypted ? enc.encrypt(padded(data, desBlock)) : data
      const wrapped = concat(sent, last)
      return { ...command, cla, data: wrapped, isExtended: wrapped.length > 0xff }
    },
    unwrap: (response) => response,
  }
}
