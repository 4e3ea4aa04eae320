import type { Command } from '../apdu.ts'
import { byteAt, toHex } from '../bytes.ts'
import { DecodeError } from '../decode-error.ts'
import { byteOf, command } from './fields.ts'

/** The enrolment applet of IDEX. */
export const fingerprintAid = '494445585F4C5F0101'

/** Commands of a biometric card. */
export type FingerprintCommand =
  | { kind: 'info' | 'finishEnrolment' | 'verify' | 'list' | 'cancel' | 'reset' }
  /** One touch of a finger, from 1. `restart` discards the earlier touches. */
  | { kind: 'enrol'; finger: number; restart?: boolean }
  | { kind: 'delete'; finger: number }
  | { kind: 'rename'; finger: number; name: string }

const maxNameLength = 32
const none = new Uint8Array()

const enrolment = (p1: number, data: Uint8Array, expectsReply = false): Command => ({
  ...command(0x59, p1, 0x00, data, expectsReply),
  cla: 0x84,
})

const finger = (value: number) => byteOf(value, 1, 0x7f)

function nameBytes(name: string): Uint8Array {
  const bytes = new TextEncoder().encode(name)
  if (bytes.length > maxNameLength)
    throw new DecodeError('tooLong', 0, { expected: `${maxNameLength}`, found: `${bytes.length}` })
  return bytes
}

/**
 * A command for the selected biometric applet. The bytes of info, enrol, finishEnrolment and verify
 * are those that sentry-sdk-biometrics-ios sends; only the software card understands list, cancel,
 * reset, delete and rename.
 */
export function fingerprint(wanted: FingerprintCommand): Command {
  switch (wanted.kind) {
    case 'info':
      return enrolment(0x04, Uint8Array.of(0))
    case 'enrol':
      return enrolment(0x03, Uint8Array.of(wanted.restart ? 0x02 : 0x00, finger(wanted.finger)))
    case 'finishEnrolment':
      return enrolment(0x00, Uint8Array.of(0))
    case 'verify':
      return command(0xb6, 0x01, 0x00, none)
    case 'list':
      return enrolment(0x05, none, true)
    case 'delete':
      return enrolment(0x06, Uint8Array.of(finger(wanted.finger)))
    case 'reset':
      return enrolment(0x07, none)
    case 'cancel':
      return enrolment(0x08, none)
    case 'rename':
      return enrolment(0x09, Uint8Array.of(finger(wanted.finger), ...nameBytes(wanted.name)))
  }
}

export interface FingerprintStatus {
  maxFingers: number
  /** Touches of the current finger so far, and those that remain. */
  touches: number
  touchesLeft: number
  isEnrolled: boolean
}

const statusLength = 40

/** Reads the reply to info. */
export function parseFingerprintStatus(data: Uint8Array): FingerprintStatus {
  if (data.length < statusLength)
    throw new DecodeError('cutOff', data.length, {
      expected: `${statusLength}`,
      found: `${data.length}`,
    })
  return {
    maxFingers: byteAt(data, 31),
    touches: byteAt(data, 32),
    touchesLeft: byteAt(data, 33),
    isEnrolled: byteAt(data, 39) !== 0,
  }
}

/** Reads the reply to list: numbers and names of enrolled fingers. */
export function parseFingers(data: Uint8Array): { finger: number; name: string }[] {
  const fingers: { finger: number; name: string }[] = []
  for (let at = 0; at < data.length;) {
    const from = at + 2
    const to = from + byteAt(data, at + 1)
    if (to > data.length)
      throw new DecodeError('cutOff', at, { expected: `${to}`, found: toHex(data.subarray(at)) })
    fingers.push({
      finger: byteAt(data, at),
      name: new TextDecoder().decode(data.subarray(from, to)),
    })
    at = to
  }
  return fingers
}
