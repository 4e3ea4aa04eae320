import type { Command, Response } from '../apdu.ts'
import { concat } from '../bytes.ts'
import { aesBlock, aesKey } from '../crypto/aes.ts'
import { unpadded } from '../crypto/padding.ts'
import { desBlock, tripleDesKey } from '../crypto/triple-des.ts'
import type { SessionKeys } from '../secure-channel/key-set.ts'
import { isSame, macLength } from '../secure-channel/messaging.ts'
import { scp02CommandMacs, scp02ReplyMacs } from '../secure-channel/scp02-messaging.ts'
import { scp02Options, type Scp02Options } from '../secure-channel/scp02-options.ts'
import { counterBlock, encryptedBehind, lengthField } from '../secure-channel/scp03-host.ts'
import {
  hasCommandEncryption,
  hasResponseEncryption,
  hasResponseMac,
  isProtectedReply,
  macLengthOf,
  type Protocol,
  type SecurityLevel,
} from '../secure-channel/security-level.ts'

/** The card's side of secure messaging. */
export interface CardMessaging {
  /** The unwrapped command, or undefined if its MAC or padding is wrong. */
  unwrap(command: Command): Command | undefined
  wrap(response: Response): Response
  /** From EXTERNAL AUTHENTICATE on, the security level that it requested applies. */
  raise(level: SecurityLevel): void
}

export const cardMessaging = (
  protocol: Protocol,
  implementation: number,
  keys: SessionKeys,
  /**
   * The start of the first MAC: with SCP02 the AID of the selected application for an implicit
   * channel, with SCP03 the receipt of a key agreement.
   */
  begin?: Uint8Array,
): CardMessaging =>
  protocol === 'SCP03'
    ? scp03Card(keys, macLengthOf(protocol, implementation), begin)
    : scp02Card(keys, scp02Options(implementation), begin)

const secured = 0x04
const withoutMac = ({ data }: Command, length: number) => ({
  body: data.slice(0, Math.max(0, data.length - length)),
  mac: data.subarray(Math.max(0, data.length - length)),
})
const plain = (command: Command, data: Uint8Array): Command => ({
  ...command,
  cla: command.cla & ~secured,
  data,
})

function scp03Card(
  keys: SessionKeys,
  size: number,
  begin: Uint8Array = new Uint8Array(aesBlock),
): CardMessaging {
  const enc = aesKey(keys.enc)
  const mac = aesKey(keys.mac)
  const rmac = aesKey(keys.rmac)
  let chain = begin
  let level: SecurityLevel = 0x01
  let counter = 0

  return {
    raise(next) {
      level = next
    },
    unwrap(command) {
      const { cla, ins, p1, p2, data } = command
      const { body, mac: found } = withoutMac(command, size)
      chain = mac.mac(chain, [cla, ins, p1, p2], lengthField(data.length, command.isExtended), body)
      if (!isSame(chain.subarray(0, size), found)) return undefined
      if (!hasCommandEncryption(level)) return plain(command, body)
      counter++
      if (body.length === 0) return plain(command, body)
      if (body.length % aesBlock !== 0) return undefined
      const iv = enc.encryptBlock(counterBlock(counter, false))
      const clear = unpadded(enc.decrypt(body, iv))
      return clear && plain(command, clear)
    },
    wrap({ data, statusWord }) {
      if (!hasResponseMac(level)) return { data, statusWord }
      if (!isProtectedReply(statusWord)) return { data: new Uint8Array(), statusWord }
      const isEncrypted = hasResponseEncryption(level) && data.length > 0
      const body = isEncrypted ? encryptedBehind(enc, counterBlock(counter, true), data) : data
      const word = [statusWord >> 8, statusWord & 0xff]
      const tag = rmac.mac(chain, body, word).subarray(0, size)
      return { data: concat(body, tag), statusWord }
    },
  }
}

function scp02Card(keys: SessionKeys, options: Scp02Options, aid?: Uint8Array): CardMessaging {
  const enc = tripleDesKey(keys.enc)
  const mac = tripleDesKey(keys.mac)
  const commands = scp02CommandMacs(mac, options, aid && mac.mac(aid))
  let last: Uint8Array = new Uint8Array(macLength)
  let replies: ReturnType<typeof scp02ReplyMacs> | undefined
  let received: Command | undefined
  let level: SecurityLevel = 0x01

  return {
    raise(next) {
      level = next
      if (hasResponseMac(level)) replies = scp02ReplyMacs(tripleDesKey(keys.rmac), last)
    },
    unwrap(command) {
      const { body, mac: found } = withoutMac(command, macLength)
      let clear: Uint8Array | undefined = body
      if (hasCommandEncryption(level) && body.length > 0)
        clear = body.length % desBlock === 0 ? unpadded(enc.decrypt(body)) : undefined
      if (!clear) return undefined
      received = plain(command, clear)
      last = commands.next(received)
      return isSame(last, found) ? received : undefined
    },
    // Errors have a MAC too, since hosts expect one.
    wrap({ data, statusWord }) {
      if (!replies || !received) return { data, statusWord }
      return { data: concat(data, replies.next(received, { data, statusWord })), statusWord }
    },
  }
}
