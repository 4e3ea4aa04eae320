import type { ImageFlag, ImagePart, TlvName } from '@grove/contract/maple/connect/mcuboot.rules'
import { useLingui } from '@lingui/react/macro'

/** The parts, tags and flags of an image, in words. */
export function useMcubootWords() {
  const { t } = useLingui()
  const parts: Record<Exclude<ImagePart['name'], 'tlv' | 'tlvInfo'>, string> = {
    magic: t`Magic number`,
    loadAddress: t`Load address`,
    headerSize: t`Header size`,
    protectedSize: t`Size of the protected tags`,
    imageSize: t`Program size`,
    flags: t`Flags`,
    version: t({ message: 'Version', context: 'of firmware' }),
    reserved: t`Reserved`,
    headerPadding: t`Header padding`,
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
    pureSignature: t`Signs the bytes, not their hash`,
    encryptedKeyRsa: t`RSA encryption key`,
    encryptedKeyAes: t`AES encryption key`,
    encryptedKeyEc: t`ECIES P-256 encryption key`,
    encryptedKeyX25519: t`X25519 encryption key`,
    dependency: t`Needs another image`,
    securityCounter: t`Security counter`,
    bootRecord: t`Boot record`,
    decompressedSize: t`Decompressed size`,
    decompressedHash: t`Decompressed hash`,
    decompressedSignature: t`Decompressed signature`,
    vendorId: t`Vendor ID`,
    classId: t`Device class ID`,
  }
  const flags: Record<ImageFlag, string> = {
    positionIndependent: t`Position independent`,
    encryptedAes128: t`Encrypted, AES-128`,
    encryptedAes256: t`Encrypted, AES-256`,
    nonBootable: t`Not bootable`,
    ramLoad: t`Loaded into RAM`,
    romFixed: t`Bound to its address`,
    compressedLzma1: t`Compressed, LZMA1`,
    compressedLzma2: t`Compressed, LZMA2`,
    compressedArmThumb: t`Compressed, ARM Thumb filter`,
  }
  return { parts, tags, flags }
}
