import type { Command, Response } from '../apdu.ts'
import { byteAt } from '../bytes.ts'
import { ChannelError } from './channel-error.ts'

/**
 * The host's side of secure messaging: every command changes its state, so calls must follow the
 * order on the wire.
 */
export interface HostMessaging {
  /** The wrapped command, with extended lengths if longer than 255 bytes. */
  wrap(command: Command): Command
  /** The unwrapped reply. */
  unwrap(response: Response): Response
}

/** With SCP02, and with SCP03 in S8 mode. */
export const macLength = 8
const secured = 0x04

/**
 * The class byte of a wrapped command. Other logical channels and proprietary classes are refused:
 * cards disagree about how the MAC covers them.
 */
export function securedClass(cla: number): number {
  if (cla !== 0x00 && cla !== 0x80)
    throw new ChannelError('unsupportedClass', {
      expected: '00 / 80',
      found: cla.toString(16).toUpperCase().padStart(2, '0'),
    })
  return cla | secured
}

/** Constant-time comparison. */
export function isSame(left: Uint8Array, right: Uint8Array): boolean {
  let difference = left.length ^ right.length
  for (let at = 0; at < left.length; at++) difference |= byteAt(left, at) ^ byteAt(right, at)
  return difference === 0
}

/** Removes the MAC from the end of a reply; fails if there is none. */
export function splitMac({ data, statusWord }: Response, length: number) {
  if (data.length < length)
    throw new ChannelError('missingResponseMac', {
      statusWord,
      expected: `${length}`,
      found: `${data.length}`,
    })
  const end = data.length - length
  return { plain: data.slice(0, end), mac: data.subarray(end) }
}
