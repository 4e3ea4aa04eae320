import type { Command, Response } from '../apdu.ts'
import { byteAt } from '../bytes.ts'
import { ChannelError } from './channel-error.ts'

/** The host's half of secure messaging: it changes with every command, so calls follow the wire. */
export interface HostMessaging {
  /** The command as it goes to the card. Longer than 255 bytes, it has extended lengths. */
  wrap(command: Command): Command
  /** The reply without its protection. */
  unwrap(response: Response): Response
}

export const macLength = 8
const secured = 0x04

/**
 * The class byte of a protected command. Other logical channels and classes of other organisations
 * are refused: cards disagree about what they put into the MAC.
 */
export function securedClass(cla: number): number {
  if (cla !== 0x00 && cla !== 0x80)
    throw new ChannelError('unsupportedClass', {
      expected: '00 / 80',
      found: cla.toString(16).toUpperCase().padStart(2, '0'),
    })
  return cla | secured
}

/** Compares in a time that does not depend on where the first difference is. */
export function isSame(left: Uint8Array, right: Uint8Array): boolean {
  let difference = left.length ^ right.length
  for (let at = 0; at < left.length; at++) difference |= byteAt(left, at) ^ byteAt(right, at)
  return difference === 0
}

/** Takes the MAC from the end of a reply, or says that the reply has none. */
export function splitMac({ data, statusWord }: Response) {
  if (data.length < macLength)
    throw new ChannelError('missingResponseMac', {
      statusWord,
      expected: `${macLength}`,
      found: `${data.length}`,
    })
  const end = data.length - macLength
  return { plain: data.slice(0, end), mac: data.subarray(end) }
}
