import { aidPart, maxAidLength, registrantName, shortestAid } from './aid.ts'
import { commandLayout } from './apdu.ts'
import { byteAt, readHex, toHex } from './bytes.ts'
import { commandName } from './command-names.ts'
import { cplcDigits, fabricatorName } from './cplc.ts'
import { attempt, DecodeError } from './decode-error.ts'
import { explainAtr } from './explain-atr.ts'
import { explainCommand, explainResponse } from './explain-apdu.ts'
import { explainCplc, explainCplcReply } from './explain-cplc.ts'
import { explainTlv } from './explain-tlv.ts'
import { explainGetStatus } from './get-status.ts'
import { explainKeyInformationReply } from './explain-key-information.ts'
import type { Part } from './part.ts'
import { explainStatusWord, isStatusWord, statusWord } from './status-word.ts'
import { isKnownTag } from './tag-names.ts'
import { parseTlv, readTag } from './tlv.ts'

type Explain = (bytes: Uint8Array, now: Date) => Part[]

const explainers = {
  cplcReply: explainCplcReply,
  cplc: explainBareCplc,
  command: (bytes, now) => explainCommand(bytes, now),
  response: explainResponse,
  getStatus: (bytes, now) => explainGetStatus(bytes, now),
  keyInformation: explainKeyInformationReply,
  tlv: (bytes, now) => explainTlv(bytes, now),
  atr: explainAtr,
  aid: (bytes) => [aidPart(bytes, 'aid', 0, bytes.length)],
  statusWord: (bytes) => explainStatusWord(bytes),
} satisfies Record<string, Explain>

export type DecodedKind = keyof typeof explainers

export const decodedKinds = Object.keys(explainers) as readonly DecodedKind[]

export interface Decoded {
  kind: DecodedKind
  bytes: Uint8Array
  parts: Part[]
  /** Alternatives that a reader can choose. */
  alternatives: DecodedKind[]
}

interface Options {
  /** Resolves the last digit of a year in a CPLC. */
  now?: Date
  /** Decodes as this kind instead of the detected one. */
  as?: DecodedKind
}

/**
 * Detects what was pasted and explains it: a CPLC, a reply to GET DATA or GET STATUS, a command or
 * response APDU, an answer to reset, BER-TLV, key information, an AID or a status word. The hex may have spaces, line
 * breaks, colons, `0x` and lower case. Throws a `DecodeError` for anything else.
 *
 * @example decode('80 CA 9F 7F 00').kind // 'command'
 */
export function decode(text: string, { now = new Date(), as }: Options = {}): Decoded {
  const bytes = readHex(text)
  const kind = as ?? recognise(bytes, now)
  const parts = explainers[kind](bytes, now)
  const alternatives = decodedKinds.filter(
    (other) => other !== kind && attempt(() => explainers[other](bytes, now)) !== undefined,
  )
  return { kind, bytes, parts, alternatives }
}

const cplcBytes = cplcDigits / 2

/** A CPLC without its tag, as databases store it, or followed by a status word. */
function explainBareCplc(bytes: Uint8Array, now: Date): Part[] {
  const end = bytes.length === cplcBytes + 2 ? cplcBytes : bytes.length
  const fields = explainCplc(bytes, now, 0, end)
  return end === bytes.length ? fields : [...fields, ...explainStatusWord(bytes, end)]
}

/**
 * Detects by the first bytes, then by length, then by what decodes. A kind whose first bytes match is
 * returned even if the rest is wrong, so that its error says where.
 */
function recognise(bytes: Uint8Array, now: Date): DecodedKind {
  const { length } = bytes
  const [first, second] = [byteAt(bytes, 0), byteAt(bytes, 1)]
  const last = length < 2 ? 0 : (byteAt(bytes, length - 2) << 8) | byteAt(bytes, length - 1)
  const fits = (kind: DecodedKind) => attempt(() => explainers[kind](bytes, now)) !== undefined

  if (first === 0x9f && second === 0x7f) return 'cplcReply'
  if (length === 2 && isStatusWord(last)) return 'statusWord'
  if ((first === 0x3b || first === 0x3f) && fits('atr')) return 'atr'
  if (first === 0xe3) return 'getStatus'
  if (first === 0xe0) return 'keyInformation'
  const isCommand = isClass(first) && commandName(first, second) !== undefined
  if (isCommand && attempt(() => commandLayout(bytes))) return 'command'
  if (length === cplcBytes || (length === cplcBytes + 2 && last === 0x9000)) return 'cplc'
  const hex = toHex(bytes.subarray(0, maxAidLength + 1))
  const isAidLong = length >= shortestAid && length <= maxAidLength
  if (isAidLong && registrantName(hex.slice(0, 10)) !== undefined) return 'aid'
  // `9000` alone is an empty object, but after other objects it is the status word.
  const isReply = isStatusWord(last) && attempt(() => parseTlv(bytes, 0, length - 2)) !== undefined
  if (beginsKnown(bytes) && isReply) return 'response'
  if (beginsKnown(bytes) && fits('tlv')) return 'tlv'
  if (isStatusWord(last) && statusWord(last).name !== 'unknown' && fits('response'))
    return 'response'
  if (fits('tlv')) return 'tlv'
  // International, national and unregistered RIDs (ISO/IEC 7816-4, 8.2.1.2).
  if (isAidLong && /^[ADF]/.test(hex)) return 'aid'
  if (isClass(first) && isInstruction(second) && attempt(() => commandLayout(bytes)))
    return 'command'
  if (isCommand) return 'command'
  if (fabricatorName(hex) !== undefined) return 'cplc'
  if (registrantName(hex.slice(0, 10)) !== undefined) return 'aid'
  if (beginsKnown(bytes)) return 'tlv'
  throw new DecodeError('notRecognised', 0, { found: hex.slice(0, 4) })
}

const beginsKnown = (bytes: Uint8Array): boolean => {
  const end = attempt(() => readTag(bytes, 0, bytes.length))
  return end !== undefined && isKnownTag(toHex(bytes.subarray(0, end)))
}

/** Classes of ISO/IEC 7816-4 and of GlobalPlatform, on any logical channel. */
const isClass = (cla: number): boolean =>
  cla <= 0x0f || (cla >= 0x40 && cla <= 0x8f) || (cla >= 0xc0 && cla < 0xff)

/** ISO/IEC 7816-3 forbids 6x and 9x, which begin status words. */
const isInstruction = (ins: number): boolean => ins >> 4 !== 6 && ins >> 4 !== 9
