import type { Command } from '../apdu.ts'
import { concat } from '../bytes.ts'
import { padded } from '../crypto/padding.ts'
import { desBlock, tripleDesKey } from '../crypto/triple-des.ts'
import { ChannelError } from './channel-error.ts'
import type { ChannelKeys } from './key-set.ts'
import { isSame, macLength, securedClass, splitMac, type HostMessaging } from './messaging.ts'
import { scp02CommandMacs, scp02ReplyMacs } from './scp02-messaging.ts'
import type { Scp02Options } from './scp02-options.ts'
import {
  hasCommandEncryption,
  hasCommandMac,
  hasResponseMac,
  isProtectedReply,
  type SecurityLevel,
} from './security-level.ts'

/**
 * Secure messaging of SCP02 (GlobalPlatform Card Specification 2.3.1, E.4): the MAC covers the
 * command before encryption. A command sent in pieces has one MAC, over the total length as `00` and
 * two bytes. `raise` sets the level requested by EXTERNAL AUTHENTICATE; until then commands have a
 * MAC. `aid` begins the first MAC of an implicit channel.
 */
export function scp02Host(
  keys: ChannelKeys,
  options: Scp02Options,
  aid?: Uint8Array,
): HostMessaging & { raise(level: SecurityLevel): void } {
  const enc = tripleDesKey(keys.enc)
  const mac = tripleDesKey(keys.mac)
  const commands = scp02CommandMacs(mac, options, aid && mac.mac(aid))
  let level: SecurityLevel = 0x01
  let last: Uint8Array = new Uint8Array(macLength)
  let replies: ReturnType<typeof scp02ReplyMacs> | undefined
  let sent: Command | undefined

  return {
    raise(next) {
      level = next
      if (hasResponseMac(level)) replies = scp02ReplyMacs(tripleDesKey(keys.rmac), last)
    },
    wrap(command: Command) {
      sent = command
      if (!hasCommandMac(level)) return command
      const { data } = command
      const cla = securedClass(command.cla)
      last = commands.next(command)
      const isEncrypted = hasCommandEncryption(level) && data.length > 0
      const body = isEncrypted ? enc.encrypt(padded(data, desBlock)) : data
      const wrapped = concat(body, last)
      return { ...command, cla, data: wrapped, isExtended: wrapped.length > 0xff }
    },
    unwrap(response) {
      if (!replies || !sent) return response
      const { data, statusWord } = response
      // Cards disagree on whether errors have a MAC; without one they have no data either.
      if (data.length === 0 && !isProtectedReply(statusWord)) return response
      const { plain, mac: found } = splitMac(response, macLength)
      const reply = { data: plain, statusWord }
      if (!isSame(replies.next(sent, reply), found))
        throw new ChannelError('wrongResponseMac', { statusWord })
      return reply
    },
  }
}
