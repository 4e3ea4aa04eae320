import type { Command, Response } from '../apdu.ts'
import { concat } from '../bytes.ts'
import type { TripleDesKey } from '../crypto/triple-des.ts'
import { macLength } from './messaging.ts'
import { lengthField } from './scp03-host.ts'
import type { Scp02Options } from './scp02-options.ts'

const secured = 0x04

/**
 * The MACs of commands, each chained to the previous one. In an implicit channel the first one is
 * chained to the MAC of the AID, which is not encrypted.
 */
export function scp02CommandMacs(
  key: TripleDesKey,
  { coversPlainCommand, encryptsIv }: Scp02Options,
  firstIv?: Uint8Array,
): { next(command: Command): Uint8Array } {
  let iv = firstIv
  return {
    /** The MAC of a command with its plain data. */
    next({ cla, ins, p1, p2, data }) {
      const header = coversPlainCommand
        ? [cla & ~secured, ins, p1, p2, ...lengthField(data.length)]
        : [cla | secured, ins, p1, p2, ...lengthField(data.length + macLength)]
      const mac = key.mac(concat(header, data), iv)
      iv = encryptsIv ? key.encryptSingle(mac) : mac
      return mac
    },
  }
}

/**
 * The MACs of replies: over the plain command, then length, data and status word of the reply. Each
 * is chained to the previous one, the first to the MAC of EXTERNAL AUTHENTICATE.
 */
export function scp02ReplyMacs(
  key: TripleDesKey,
  first: Uint8Array,
): { next(command: Command, response: Response): Uint8Array } {
  let iv = first
  return {
    next({ cla, ins, p1, p2, data: sent }, { data, statusWord }) {
      iv = key.mac(
        concat(
          [cla & ~secured, ins, p1, p2, ...lengthField(sent.length)],
          sent,
          [data.length & 0xff],
          data,
          [statusWord >> 8, statusWord & 0xff],
        ),
        iv,
      )
      return iv
    },
  }
}
