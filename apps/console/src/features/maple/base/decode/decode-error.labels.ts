import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { DecodeErrorCode } from '@grove/secure-element/decode-error'

interface Wrong {
  at: number
  expected: string
  found: string
}

/** What is wrong with pasted bytes, and how to fix it. */
export const errorLabels: Record<DecodeErrorCode, (wrong: Wrong) => MessageDescriptor> = {
  empty: () => msg`Paste hex to decode it.`,
  notHex: ({ found, at }) => msg`“${found}” at byte ${at} is not a hex digit.`,
  oddDigits: ({ at }) => msg`Byte ${at} has one digit; a byte needs two.`,
  tooLong: () => msg`This is longer than anything a chip can receive or send.`,
  wrongLength: ({ at, expected }) => msg`Wrong length at byte ${at}: expected ${expected} bytes.`,
  cutOff: ({ at, expected, found }) =>
    msg`The data ends too early: ${expected} bytes expected from byte ${at}, but there are ${found}.`,
  leftOver: ({ at }) => msg`Byte ${at} and the bytes after it are not part of the data.`,
  indefiniteLength: ({ at }) =>
    msg`Byte ${at} begins a value of indefinite length, which chips do not use.`,
  lengthTooLong: ({ at }) => msg`The length at byte ${at} has too many bytes.`,
  tagTooLong: ({ at, expected }) => msg`The tag at byte ${at} is longer than ${expected} bytes.`,
  tooDeep: ({ at }) => msg`Objects are nested too deeply at byte ${at}.`,
  tooMany: ({ expected }) => msg`Too many objects: only ${expected} are read.`,
  wrongTag: ({ found, at, expected }) =>
    msg`Unexpected tag ${found} at byte ${at}: expected ${expected}.`,
  missingTag: ({ at, expected }) => msg`The object at byte ${at} lacks the tag ${expected}.`,
  wrongValue: ({ found, at, expected }) =>
    msg`Unexpected ${found} at byte ${at}: expected ${expected}.`,
  conflict: ({ found, expected }) => msg`${found} cannot be combined with ${expected}.`,
  notRecognised: () => msg`Not recognized. Choose what it is, or paste more.`,
}
