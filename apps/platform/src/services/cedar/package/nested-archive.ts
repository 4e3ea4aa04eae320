/** The tar signature is the one that sits furthest from the start. */
export const SIGNATURE_BYTES = 262

const NAME =
  /\.(?:zip|jar|war|ma|apk|ipa|aab|7z|rar|tar|gz|tgz|bz2|tbz2?|xz|txz|zst|lz4?|cab|iso)$/i

const SIGNATURES: { at: number; bytes: string }[] = [
  { at: 0, bytes: 'PK\x03\x04' },
  { at: 0, bytes: 'PK\x05\x06' },
  { at: 0, bytes: '7z\xbc\xaf\x27\x1c' },
  { at: 0, bytes: 'Rar!\x1a\x07' },
  { at: 0, bytes: '\x1f\x8b\x08' },
  { at: 0, bytes: '\xfd7zXZ\x00' },
  { at: 0, bytes: '\x28\xb5\x2f\xfd' },
  { at: 4, bytes: '1AY&SY' }, // bzip2: "BZh", a level, then the digits of pi
  { at: 257, bytes: 'ustar' },
]

export const isArchiveName = (path: string): boolean => NAME.test(path)

export const isArchive = (head: Buffer): boolean =>
  SIGNATURES.some(({ at, bytes }) => {
    return head.toString('latin1', at, at + bytes.length) === bytes
  })
