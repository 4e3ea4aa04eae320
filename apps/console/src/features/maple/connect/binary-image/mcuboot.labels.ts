import type { ImageFlag, ImagePart, TlvName } from '@grove/contract/maple/connect/mcuboot.rules'
import { useLingui } from '@lingui/react/macro'

/** The parts, tags and flags of an image in words. */
export function useMcubootWords() {
  const { t } = useLingui()
  const parts: Record<Exclude<ImagePart['name'], 'tlv' | 'tlvInfo'>, string> = {
    magic: t`Magic number`,
    loadAddress: t`Load address`,
    headerSize: t`Size of the header`,
    protectedSize: t`Size of the protected tags`,
    imageSize: t`Size of the program`,
    flags: t`Flags`,
    version: t({ message: 'Version', context: 'of firmware' }),
    reserved: t`Reserved`,
    headerPadding: t`Filling of the header`,
    program: t`Program`,
    trailer: t`Trailer`,
  }
  const tags: Record<TlvName, string> = {
    keyHash: t`Hash of the public key`,
    publicKey: t`Public key`,
    sha256: 'SHA-256',
    sha384: 'SHA-384',
    sha512: 'SHA-512',
    rsa2048: t`Signature, RSA-2048`,
    ecdsa: t`Signature, ECDSA`,
    rsa3072: t`Signature, RSA-3072`,
    ed25519: t`Signature, Ed25519`,
    pureSignature: t`The signature is of the bytes, not of their hash`,
    encryptedKeyRsa: t`Key of the encryption, by RSA`,
    encryptedKeyAes: t`Key of the encryption, by AES`,
    encryptedKeyEc: t`Key of the encryption, by ECIES P-256`,
    encryptedKeyX25519: t`Key of the encryption, by X25519`,
    dependency: t`Needs another image`,
    securityCounter: t`Security counter`,
    bootRecord: t`Boot record`,
    decompressedSize: t`Size when decompressed`,
    decompressedHash: t`Hash when decompressed`,
    decompressedSignature: t`Signature when decompressed`,
    vendorId: t`Vendor id`,
    classId: t`Device class id`,
  }
  const flags: Record<ImageFlag, string> = {
    positionIndependent: t`Position independent`,
    encryptedAes128: t`Encrypted, AES-128`,
    encryptedAes256: t`Encrypted, AES-256`,
    nonBootable: t`Not started by itself`,
    ramLoad: t`Loaded into RAM`,
    romFixed: t`Bound to its address`,
    compressedLzma1: t`Compressed, LZMA1`,
    compressedLzma2: t`Compressed, LZMA2`,
    compressedArmThumb: t`Compressed, ARM Thumb filter`,
  }
  return { parts, tags, flags }
}
