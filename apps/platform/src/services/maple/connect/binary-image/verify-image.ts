import { constants, createHash, verify } from 'node:crypto'
import type { ImageKey } from '@grove/contract/maple/connect/binary-image'
import type { Verdict } from '@grove/contract/maple/connect/binary-image.rules'
import {
  signedSize,
  tlvTypes,
  type McubootImage,
  type Tlv,
} from '@grove/contract/maple/connect/mcuboot.rules'
import { ProblemError } from '../../../../core/http/problem.ts'

const signatureTypes = {
  'rsa-2048': tlvTypes.rsa2048,
  'ecdsa-p256': tlvTypes.ecdsa,
  ed25519: tlvTypes.ed25519,
} as const

interface Signature {
  tlv: Tlv
  /** The hash of the public key, which precedes the signature. */
  keyHash: string | undefined
}

/**
 * The key that signed an image whose contents match its hash.
 * @throws ProblemError `binary_image_refused`: which of these fails.
 */
export function verifyImage(
  bytes: Uint8Array,
  image: McubootImage,
  keys: readonly ImageKey[],
): ImageKey {
  const signed = bytes.subarray(0, signedSize(image))
  const digest = createHash('sha256').update(signed).digest()
  if (digest.toString('hex') !== image.hash)
    throw refused(
      'wrongHash',
      'The image’s SHA-256 differs from the one it declares: it is damaged.',
    )
  const signatures = signaturesOf(image)
  if (signatures.length === 0)
    throw refused('unsigned', 'The image has no ECDSA, RSA-2048 or Ed25519 signature.')
  // Of several signatures one has to be right, as in the bootloader.
  const isPure = image.tlvs.some(({ type }) => type === tlvTypes.pureSignature)
  const message = { signed, digest, isPure }
  const candidates = signatures.flatMap(({ tlv, keyHash }) =>
    keys
      .filter((key) => signatureTypes[key.algorithm] === tlv.type && key.keyHash === keyHash)
      .map((key) => ({ key, tlv })),
  )
  if (candidates.length === 0)
    throw refused('unknownKey', 'The image is not signed with any of your signing keys.')
  const found = candidates.find(({ key, tlv }) =>
    isRight(key, Buffer.from(tlv.hex, 'hex'), message),
  )
  if (!found) throw refused('wrongSignature', 'The signature is wrong.')
  return found.key
}

function signaturesOf({ tlvs }: McubootImage): Signature[] {
  const types: number[] = Object.values(signatureTypes)
  let keyHash: string | undefined
  return tlvs.flatMap((tlv) => {
    if (tlv.type === tlvTypes.keyHash) keyHash = tlv.hex
    return types.includes(tlv.type) ? [{ tlv, keyHash }] : []
  })
}

interface Message {
  signed: Uint8Array
  digest: Buffer
  /** Ed25519 signs the bytes themselves, not their hash. */
  isPure: boolean
}

function isRight(
  { algorithm, pem }: ImageKey,
  signature: Buffer,
  { signed, digest, isPure }: Message,
): boolean {
  if (algorithm === 'ed25519') return verify(null, isPure ? signed : digest, pem, signature)
  if (algorithm === 'ecdsa-p256') return verify('sha256', signed, pem, unpadded(signature))
  const padding = constants.RSA_PKCS1_PSS_PADDING
  return verify('sha256', signed, { key: pem, padding, saltLength: 32 }, signature)
}

/** Older tools zero-pad an ECDSA signature to its maximum length. */
function unpadded(signature: Buffer): Buffer {
  const length = 2 + (signature[1] ?? 0)
  return signature.subarray(length).every((byte) => byte === 0)
    ? signature.subarray(0, length)
    : signature
}

const refused = (verdict: Verdict, message: string) =>
  new ProblemError('binary_image_refused', message, {
    errors: [{ path: 'file', code: verdict, message }],
  })
