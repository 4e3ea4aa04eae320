import type { KeyObject } from 'node:crypto'
import type { Command } from '../apdu.ts'
import { byteAt, concat, readHex, toHex } from '../bytes.ts'
import { DecodeError } from '../decode-error.ts'
import {
  isSigned,
  signature,
  type PublicKey,
  type SecretKey,
  type VerificationKey,
} from '../keys/signature.ts'
import { lengthField } from '../secure-channel/scp03-host.ts'
import { encodeTlv, lengthBytes, readLength } from '../tlv.ts'
import { aidField, byteOf, command, field } from './fields.ts'

/**
 * The versions of keys with a purpose (GlobalPlatform Card Specification 2.3.1, 11.1.9): they verify
 * tokens, create receipts, and verify signatures of load files.
 */
export const purposeVersions = { token: 0x70, receipt: 0x71, dap: 0x73 } as const

const deleteIns = 0xe4
const installIns = 0xe6
const personalization = 0x20
const extradition = 0x10
const registryUpdate = 0x40

/**
 * The data that a token signs: P1, P2, length and data of a command without its token (GlobalPlatform
 * Card Specification 2.3.1, C.4). The command is one of `installFor…` or `deleteObject`, without a
 * token.
 */
export function tokenData({ ins, p1, p2, data }: Command): Uint8Array {
  if (ins === deleteIns) return concat([p1, p2], lengthField(data.length), data)
  if (ins !== installIns || byteAt(data, data.length - 1) !== 0)
    throw new DecodeError('wrongValue', 1, { expected: 'INSTALL / DELETE without token' })
  const fields = data.subarray(0, -1)
  return concat([p1, p2], lengthField(fields.length), fields)
}

/**
 * Whether a domain with delegated management needs a token for a command: any INSTALL except [for
 * personalization], and DELETE of an object.
 */
export const isTokenCommand = ({ ins, p1, data }: Command): boolean =>
  ins === installIns
    ? p1 !== personalization
    : ins === deleteIns && byteAt(data, 0) === deletedObject

/** The tag of an AID in DELETE; keys have other tags. */
const deletedObject = 0x4f

/** The token made with a private key, or with AES or triple DES. */
export const tokenFor = (plain: Command, key: SecretKey | KeyObject): Uint8Array =>
  signature(key, tokenData(plain))

/** The command with the token that authorises it. */
export const withToken = (plain: Command, key: SecretKey | KeyObject): Command =>
  tokened(plain, tokenFor(plain, key))

/** The command with a token made earlier. */
export function tokened(plain: Command, token: Uint8Array): Command {
  const data =
    plain.ins === deleteIns
      ? concat(plain.data, encodeTlv([{ tag: '9E', value: token }]))
      : concat(plain.data.subarray(0, -1), field(token))
  return { ...plain, data, isExtended: data.length > 0xff }
}

/** The signature of a load file for a domain that verifies it: over the hash in INSTALL [for load]. */
export const dapSignature = (key: SecretKey | KeyObject, hash: Uint8Array): Uint8Array =>
  signature(key, hash)

/** What a card did, as named in its receipt. AIDs are hex. */
export type ReceiptSubject =
  | { kind: 'load'; loadFileAid: string; securityDomainAid: string }
  | { kind: 'install'; loadFileAid: string; applicationAid: string }
  | { kind: 'delete'; aid: string }
  | { kind: 'extradition'; fromDomainAid: string; aid: string; toDomainAid: string }
  | RegistryUpdate

/**
 * The changes requested by INSTALL [for registry update]: the bytes of its fields, empty for those
 * unchanged.
 */
export interface RegistryUpdate {
  kind: 'registryUpdate'
  fromDomainAid: string
  aid: string
  toDomainAid: string
  privileges: Uint8Array
  parameters: Uint8Array
}

interface SubjectAt {
  /** The AID of the domain that receives the command. */
  domain: string
  /** The load file of an application on the card, if known. */
  loadFileOf: (aid: string) => string | undefined
}

/**
 * The subject of the receipt for a command, which is given without its token; the receipt of a load
 * file comes with the last LOAD. Undefined if an application's load file is unknown.
 * @throws DecodeError
 */
export function receiptSubject(
  { ins, p1, p2, data }: Command,
  { domain, loadFileOf }: SubjectAt,
): ReceiptSubject | undefined {
  if (ins === deleteIns) {
    const { length, next } = readLength(data, 1, data.length)
    return { kind: 'delete', aid: toHex(data.subarray(next, next + length)) }
  }
  const [privileges = none, parameters = none] = fieldsOf(data).slice(3)
  const [first = '', second = '', third = ''] = fieldsOf(data)
    .slice(0, 3)
    .map((each) => toHex(each))
  if (p1 === 0x02 || (p1 === 0x0e && p2 === 0x01))
    return { kind: 'load', loadFileAid: first, securityDomainAid: second || domain }
  if (p1 === extradition)
    return { kind: 'extradition', fromDomainAid: domain, aid: third, toDomainAid: first }
  if (p1 === registryUpdate)
    return {
      kind: 'registryUpdate',
      fromDomainAid: domain,
      aid: third,
      toDomainAid: first,
      privileges,
      parameters,
    }
  const isInstalled = (p1 & 0x04) !== 0
  const loadFileAid = isInstalled ? first : loadFileOf(third)
  return loadFileAid ? { kind: 'install', loadFileAid, applicationAid: third } : undefined
}

const none = new Uint8Array()

/** The fields of INSTALL, each of which is preceded by its length. */
function fieldsOf(data: Uint8Array): Uint8Array[] {
  const fields: Uint8Array[] = []
  let at = 0
  while (at < data.length) {
    const { length, next } = readLength(data, at, data.length)
    fields.push(data.slice(next, next + length))
    at = next + length
  }
  return fields
}

const subjectBytes = (subject: ReceiptSubject): Uint8Array => {
  switch (subject.kind) {
    case 'load':
      return concat(aidField(subject.loadFileAid), aidField(subject.securityDomainAid))
    case 'install':
      return concat(aidField(subject.loadFileAid), aidField(subject.applicationAid))
    case 'delete':
      return aidField(subject.aid)
    case 'extradition':
      return concat(
        aidField(subject.fromDomainAid),
        aidField(subject.aid),
        aidField(subject.toDomainAid),
      )
    case 'registryUpdate':
      return concat(
        aidField(subject.fromDomainAid),
        aidField(subject.aid),
        aidField(subject.toDomainAid),
        field(subject.privileges),
        field(subject.parameters),
      )
  }
}

/** The data covered by a receipt: the card's confirmation data, then the subject (the same, C.5). */
export const receiptData = (confirmation: Uint8Array, subject: ReceiptSubject): Uint8Array =>
  concat(confirmation, subjectBytes(subject))

export interface Receipt {
  receipt: Uint8Array
  /** The card's receipt counter: 2 bytes. */
  counter: Uint8Array
  /** Identifies the card: issuer and card number. */
  cardData: Uint8Array
  /** Everything after the receipt, which the receipt covers. */
  confirmation: Uint8Array
}

/**
 * The receipt and its confirmation data. Cards put a length before both, as the empty reply `00`
 * shows, but some omit it. No receipt alone is as long as the whole reply, so the two cannot be
 * confused.
 */
function withoutLength(reply: Uint8Array): Uint8Array {
  const { length, next } = readLength(reply, 0, reply.length)
  return next + length === reply.length ? reply.slice(next) : reply
}

/**
 * Parses the reply to a delegated command; undefined if the card creates no receipts and answers
 * nothing or `00`.
 * @throws DecodeError for a truncated reply.
 */
export function parseReceipt(answer: Uint8Array): Receipt | undefined {
  if (answer.length === 0 || (answer.length === 1 && byteAt(answer, 0) === 0)) return undefined
  const reply = withoutLength(answer)
  const take = (at: number) => {
    const { length, next } = readLength(reply, at, reply.length)
    const to = next + length
    if (to > reply.length)
      throw new DecodeError('cutOff', at, { expected: `${to}`, found: `${reply.length}` })
    return { value: reply.slice(next, to), to }
  }
  const receipt = take(0)
  const counter = take(receipt.to)
  const cardData = take(counter.to)
  return {
    receipt: receipt.value,
    counter: counter.value,
    cardData: cardData.value,
    confirmation: reply.slice(receipt.to),
  }
}

export const isReceiptFor = (
  key: VerificationKey,
  { receipt, confirmation }: Receipt,
  subject: ReceiptSubject,
): boolean => isSigned(key, receiptData(confirmation, subject), receipt)

const publicTypes = { modulus: 0xa1, exponent: 0xa0, point: 0xb0, curve: 0xf0 } as const
const p256 = 0x00

/** PUT KEY of one public key, which is not encrypted and has no check value. */
export function putPublicKey({
  version,
  replaces = 0,
  id = 1,
  key,
}: {
  version: number
  replaces?: number
  id?: number
  key: PublicKey
}): Command {
  const component = (type: number, value: Uint8Array) =>
    concat([type], lengthBytes(value.length), value)
  const block =
    key.algorithm === 'RSA'
      ? concat(
          component(publicTypes.modulus, key.modulus),
          component(publicTypes.exponent, key.exponent),
        )
      : concat(
          component(publicTypes.point, key.point),
          component(publicTypes.curve, Uint8Array.of(p256)),
        )
  return command(
    0xd8,
    byteOf(replaces, 0, 0x7f),
    byteOf(id, 1, 0x7f),
    concat([byteOf(version, 1, 0x7f)], block, [0]),
  )
}

/** Issuer and card number, which together are the card data of receipts. */
export const cardDataOf = (issuerNumber: string, cardNumber: string): Uint8Array =>
  concat(readHex(issuerNumber), readHex(cardNumber))
