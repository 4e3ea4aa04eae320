import { constants, createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import type { KeyAlgorithm } from '@grove/contract/maple/connect/binary-image.rules'
import {
  signedPart,
  wholeImage,
  type NewImage,
} from '@grove/contract/maple/connect/make-mcuboot.rules'
import { tlvTypes } from '@grove/contract/maple/connect/mcuboot.rules'

export interface SigningKey {
  algorithm: KeyAlgorithm
  privateKey: KeyObject
  pem: string
  /** As images name it. */
  hash: Buffer
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()

/** A new key pair for images. */
export function signingKey(algorithm: KeyAlgorithm): SigningKey {
  const { privateKey, publicKey } =
    algorithm === 'ed25519'
      ? generateKeyPairSync('ed25519')
      : algorithm === 'rsa-2048'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const type = algorithm === 'rsa-2048' ? 'pkcs1' : 'spki'
  return {
    algorithm,
    privateKey,
    pem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    hash: sha256(publicKey.export({ type, format: 'der' } as { type: 'spki'; format: 'der' })),
  }
}

/** Signs as `imgtool` does. */
function signatureOf({ algorithm, privateKey }: SigningKey, signed: Uint8Array, isPure: boolean) {
  if (algorithm === 'ed25519') return sign(null, isPure ? signed : sha256(signed), privateKey)
  if (algorithm === 'ecdsa-p256') return sign('sha256', signed, privateKey)
  const padding = constants.RSA_PKCS1_PSS_PADDING
  return sign('sha256', signed, { key: privateKey, padding, saltLength: 32 })
}

const typeOf = {
  'ecdsa-p256': tlvTypes.ecdsa,
  'rsa-2048': tlvTypes.rsa2048,
  ed25519: tlvTypes.ed25519,
}

/** An image with a real hash and, with a key, a real signature. */
export function signedImage(
  more: Partial<NewImage> = {},
  key?: SigningKey,
  { isPure = false, padTo = 0 } = {},
): Buffer {
  const signed = signedPart({ version: [1, 0, 0], program: Buffer.from('program'), ...more })
  const hash = { type: tlvTypes.sha256, value: sha256(signed) }
  if (!key) return Buffer.from(wholeImage(signed, [hash]))
  const signature = signatureOf(key, signed, isPure)
  const padded = Buffer.concat([signature, Buffer.alloc(Math.max(0, padTo - signature.length))])
  return Buffer.from(
    wholeImage(signed, [
      hash,
      { type: tlvTypes.keyHash, value: key.hash },
      ...(isPure ? [{ type: tlvTypes.pureSignature, value: Uint8Array.of(1) }] : []),
      { type: typeOf[key.algorithm], value: padded },
    ]),
  )
}
