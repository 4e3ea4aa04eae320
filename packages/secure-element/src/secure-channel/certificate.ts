import { createHash, verify, X509Certificate } from 'node:crypto'
import { byteAt, toHex } from '../bytes.ts'
import { DecodeError } from '../decode-error.ts'
import { ecPublicKey, publicKeyOf } from '../keys/signature.ts'
import { parseTlv, readTlvHead, readTlvHeads, type TlvNode } from '../tlv.ts'

/** The use of a certificate's key: signing other certificates, or key agreement. */
export type CertificateUsage = 'signature' | 'agreement'

/** A certificate for SCP11 on P-256, in GlobalPlatform's format or as X.509. */
export interface Certificate {
  format: 'globalPlatform' | 'x509'
  /** Identifiers are hex. */
  serialNumber: string
  /** The identifier of the signing key; empty if the certificate does not state it. */
  authority: string
  subject: string
  usages: CertificateUsage[]
  /** Start and end of validity in milliseconds (UTC). GlobalPlatform's format may omit the start. */
  validFrom: number | undefined
  validTo: number
  /** The public key: 65 bytes. */
  point: Uint8Array
  bytes: Uint8Array
  isSignedBy: (point: Uint8Array) => boolean
}

const wrong = (at: number, expected: string, found?: string) =>
  new DecodeError('wrongValue', at, { expected, ...(found !== undefined && { found }) })

/** The identifier of a key: SHA-1 of its point (RFC 5280, 4.2.1.2, method 1), in hex. */
export const keyIdentifier = (point: Uint8Array): string =>
  toHex(createHash('sha1').update(point).digest())

/** @throws DecodeError for an invalid certificate, or one whose key is not on P-256. */
export const parseCertificate = (bytes: Uint8Array): Certificate =>
  byteAt(bytes, 0) === 0x30 ? parseX509(bytes) : parseGlobalPlatform(bytes)

const maxCertificates = 8

/**
 * The certificates of a store, the key's own last, with or without the enclosing object `BF21`, which
 * some cards omit.
 * @throws DecodeError
 */
export function parseCertificates(bytes: Uint8Array): Certificate[] {
  const whole = bytes.length > 0 ? readTlvHead(bytes, 0) : undefined
  const isWrapped = whole?.tag === 'BF21' && whole.to === bytes.length
  const found: Certificate[] = []
  for (let at = isWrapped ? whole.valueFrom : 0; at < bytes.length;) {
    if (found.length === maxCertificates)
      throw new DecodeError('tooMany', at, { expected: `${maxCertificates}` })
    const { to } = readTlvHead(bytes, at)
    found.push(parseCertificate(bytes.slice(at, to)))
    at = to
  }
  return found
}

const tags = {
  certificate: '7F21',
  serialNumber: '93',
  authority: '42',
  subject: '5F20',
  usage: '95',
  from: '5F25',
  to: '5F24',
  publicKey: '7F49',
  point: 'B0',
  curve: 'F0',
  signature: '5F37',
} as const
const usages: Record<string, CertificateUsage[]> = { '82': ['signature'], '0080': ['agreement'] }
const p256 = '00'
const plainSignatureLength = 64
const day = 86_400_000

/** GlobalPlatform Amendment F, 6.2. The signature is over everything before it. */
function parseGlobalPlatform(bytes: Uint8Array): Certificate {
  const [whole, ...others] = readTlvHeads(bytes)
  if (whole?.tag !== tags.certificate || others.length > 0)
    throw new DecodeError('wrongTag', 0, { expected: tags.certificate })
  const nodes = readTlvHeads(bytes, whole.valueFrom, whole.to)
  const node = (tag: string, within = nodes): TlvNode => {
    const [first, second] = within.filter((each) => each.tag === tag)
    if (!first || second) throw new DecodeError('missingTag', whole.from, { expected: tag })
    return first
  }
  const valueOf = (tag: string, within?: TlvNode[]) => {
    const { valueFrom, to } = node(tag, within)
    return bytes.slice(valueFrom, to)
  }
  const key = node(tags.publicKey)
  // The tag of the point looks like that of an object with children.
  const parts = readTlvHeads(bytes, key.valueFrom, key.to)
  const point = valueOf(tags.point, parts)
  if (toHex(valueOf(tags.curve, parts)) !== p256) throw wrong(key.from, 'P-256')
  ecPublicKey(point)
  const proof = node(tags.signature)
  if (proof.to !== whole.to) throw new DecodeError('leftOver', proof.to)
  const signed = bytes.slice(whole.valueFrom, proof.from)
  const hasFrom = nodes.some(({ tag }) => tag === tags.from)
  return {
    format: 'globalPlatform',
    serialNumber: toHex(valueOf(tags.serialNumber)),
    authority: toHex(valueOf(tags.authority)),
    subject: toHex(valueOf(tags.subject)),
    usages: usages[toHex(valueOf(tags.usage))] ?? [],
    validFrom: hasFrom ? startOf(valueOf(tags.from)) : undefined,
    validTo: startOf(valueOf(tags.to)) + day - 1,
    point,
    bytes,
    isSignedBy: (signer) => isSigned(signer, signed, bytes.slice(proof.valueFrom, proof.to)),
  }
}

/** Cards sign with both numbers at full length or, like the recorded ones, in DER. */
function isSigned(signer: Uint8Array, data: Uint8Array, signature: Uint8Array): boolean {
  const dsaEncoding = signature.length === plainSignatureLength ? 'ieee-p1363' : 'der'
  try {
    return verify('sha256', data, { key: ecPublicKey(signer), dsaEncoding }, signature)
  } catch {
    return false
  }
}

/** No certificate is from the 14th century: the recorded ones encode `20` as the number `14`. */
const firstCentury = 0x19

/** The start of a day, given as year, month and day with two digits per byte. */
function startOf(bytes: Uint8Array): number {
  const isNumbers = byteAt(bytes, 0) < firstCentury
  const pairs = [...bytes].map((byte) => byte.toString(isNumbers ? 10 : 16).padStart(2, '0'))
  const text = pairs.join('')
  const date = text.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')
  const time = date === text ? Number.NaN : Date.parse(date)
  // Date.parse turns 31 February into 3 March.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== date)
    throw wrong(0, 'YYYYMMDD', text)
  return time
}

/** Object identifiers of extensions, as DER. */
const extensions = { subjectKey: '551D0E', usage: '551D0F', authorityKey: '551D23' } as const
const bits: Record<CertificateUsage, number> = { agreement: 0x08, signature: 0x04 }

function parseX509(bytes: Uint8Array): Certificate {
  const { found, point, validFrom, validTo } = readX509(bytes)
  const valueOf = (node?: TlvNode) =>
    node ? bytes.slice(node.valueFrom, node.to) : new Uint8Array()
  const subject = extensionOf(bytes, extensions.subjectKey)
  const authority = extensionOf(bytes, extensions.authorityKey)
  const keyId = authority?.children?.find(({ tag }) => tag === '80')
  // A BIT STRING begins with the number of unused bits.
  const usage = byteAt(valueOf(extensionOf(bytes, extensions.usage)), 1)
  return {
    format: 'x509',
    serialNumber: found.serialNumber,
    authority: toHex(valueOf(keyId)),
    subject: subject ? toHex(valueOf(subject)) : keyIdentifier(point),
    usages: (['signature', 'agreement'] as const).filter((each) => (usage & bits[each]) !== 0),
    validFrom,
    validTo,
    point,
    bytes,
    isSignedBy(signer) {
      try {
        return found.verify(ecPublicKey(signer))
      } catch {
        return false
      }
    },
  }
}

function readX509(bytes: Uint8Array) {
  try {
    const found = new X509Certificate(bytes)
    const key = publicKeyOf(found.publicKey)
    const [validFrom, validTo] = [Date.parse(found.validFrom), Date.parse(found.validTo)]
    if (key.algorithm === 'EC' && !Number.isNaN(validFrom + validTo))
      return { found, point: key.point, validFrom, validTo }
  } catch {
    // Said below.
  }
  throw wrong(0, 'X.509, P-256')
}

/** The content of an extension, if the certificate has it. */
function extensionOf(bytes: Uint8Array, identifier: string): TlvNode | undefined {
  const [whole] = parseTlv(bytes)
  const listed = whole?.children?.[0]?.children?.find(({ tag }) => tag === 'A3')
  for (const { children = [] } of listed?.children?.[0]?.children ?? []) {
    const [first, last] = [children[0], children.at(-1)]
    if (!first || !last || toHex(bytes.subarray(first.valueFrom, first.to)) !== identifier) continue
    return parseTlv(bytes, last.valueFrom, last.to)[0]
  }
  return undefined
}
