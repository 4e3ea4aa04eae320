import type { Command } from '../../apdu.ts'
import { byteAt, concat, readHex, toHex } from '../../bytes.ts'
import { refuse } from '../refusal.ts'
import type { Applet, AppletModel } from './model.ts'

const maxFingers = 2
/** Samples that one finger needs. */
const maxTouches = 6
const maxNameLength = 32

/** Purposes of the instruction 59. The first three are those of IDEX; the others are this model's own. */
const purposes = {
  verifyEnrolment: 0x00,
  sample: 0x03,
  status: 0x04,
  list: 0x05,
  remove: 0x06,
  reset: 0x07,
  cancel: 0x08,
  rename: 0x09,
} as const

const restart = 0x02

/**
 * Each finger has its number of samples and, once enrolled, its name: `touches` or `touches name`.
 */
const key = (finger: number) => `finger${finger}`
const enrolled = (applet: Applet, finger: number) => applet.data[`name${finger}`] !== undefined
const touches = (applet: Applet, finger: number) =>
  Number.parseInt(applet.data[key(finger)] ?? '0', 16)

const fingers = Array.from({ length: maxFingers }, (_, index) => index + 1)

const hexByte = (value: number) => toHex(Uint8Array.of(value))

/**
 * 40 bytes: fingers at 31, samples taken at 32 and remaining at 33, and at 39 whether one is
 * enrolled.
 */
function status(applet: Applet): Uint8Array {
  const reply = new Uint8Array(40)
  const current = Number.parseInt(applet.data['current'] ?? '01', 16)
  const taken = touches(applet, current)
  reply[31] = maxFingers
  reply[32] = taken
  reply[33] = maxTouches - taken
  reply[39] = enrolled(applet, current) ? 1 : 0
  return reply
}

function sample(applet: Applet, data: Uint8Array): Uint8Array {
  if (data.length !== 2) return refuse('wrongLength')
  const [how, finger] = [byteAt(data, 0), byteAt(data, 1)]
  if ((how !== 0 && how !== restart) || !fingers.includes(finger)) return refuse('wrongData')
  const before = how === restart ? 0 : touches(applet, finger)
  if (before >= maxTouches) return refuse('notNow')
  applet.write((kept) => {
    if (how === restart) delete kept[`name${finger}`]
    kept['current'] = hexByte(finger)
    kept[key(finger)] = hexByte(before + 1)
  })
  return new Uint8Array()
}

/** The last step of enrolment: the finger that gave all samples touches once more. */
function verifyEnrolment(applet: Applet): Uint8Array {
  const finger = Number.parseInt(applet.data['current'] ?? '01', 16)
  if (touches(applet, finger) < maxTouches) return refuse('notNow')
  applet.write((kept) => {
    kept[`name${finger}`] ??= ''
  })
  return new Uint8Array()
}

function forget(applet: Applet, which: readonly number[]): Uint8Array {
  applet.write((kept) => {
    for (const finger of which) {
      delete kept[key(finger)]
      delete kept[`name${finger}`]
    }
    delete kept['current']
  })
  return new Uint8Array()
}

/** For each enrolled finger its number and its length-prefixed name. */
function list(applet: Applet): Uint8Array {
  return concat(
    ...fingers
      .filter((finger) => enrolled(applet, finger))
      .map((finger) => {
        const hex = applet.data[`name${finger}`] ?? ''
        const name = hex === '' ? new Uint8Array() : readHex(hex)
        return concat([finger, name.length], name)
      }),
  )
}

const enrolledFinger = (applet: Applet, data: Uint8Array): number => {
  const finger = byteAt(data, 0)
  return data.length > 0 && enrolled(applet, finger) ? finger : refuse('missingReference')
}

function rename(applet: Applet, data: Uint8Array): Uint8Array {
  const finger = enrolledFinger(applet, data)
  if (data.length > 1 + maxNameLength) return refuse('wrongLength')
  applet.write((kept) => {
    kept[`name${finger}`] = toHex(data.subarray(1))
  })
  return new Uint8Array()
}

function manage(applet: Applet, { p1, p2, data }: Command): Uint8Array {
  if (p2 !== 0) return refuse('wrongParameters')
  switch (p1) {
    case purposes.status:
      return status(applet)
    case purposes.sample:
      return sample(applet, data)
    case purposes.verifyEnrolment:
      return verifyEnrolment(applet)
    case purposes.list:
      return list(applet)
    case purposes.remove:
      return forget(applet, [enrolledFinger(applet, data)])
    case purposes.reset:
      return forget(applet, fingers)
    case purposes.cancel:
      return forget(
        applet,
        fingers.filter((finger) => !enrolled(applet, finger)),
      )
    case purposes.rename:
      return rename(applet, data)
    default:
      return refuse('wrongParameters')
  }
}

/**
 * A biometric card with the enrolment applet of IDEX, as sentry-sdk-biometrics-ios drives it: status
 * `84590400`, sample `84590300 02 00 finger` (02 instead of 00 restarts), end of enrolment
 * `84590000`, match on card `80B60100`. This model adds list `84590500`, delete `84590600`, reset
 * `84590700`, cancel `84590800` and rename `84590900`. The finger on the sensor is always the
 * holder's: it matches once a finger is enrolled (else `6300`). Templates never leave a card.
 */
export const fingerprint: AppletModel = {
  name: 'fingerprint',
  aids: ['494445585F4C5F0101'],
  install: () => ({}),
  process(applet, command) {
    const { cla, ins, p1, p2 } = command
    if (cla !== 0x80 && cla !== 0x84) return refuse('unknownClass')
    if (ins === 0x59) return manage(applet, command)
    if (ins !== 0xb6) return refuse('unknownInstruction')
    if (p1 !== 0x01 || p2 !== 0x00) return refuse('wrongParameters')
    const isMatch = fingers.some((finger) => enrolled(applet, finger))
    return isMatch ? new Uint8Array() : refuse('wrongCryptogram')
  },
}
