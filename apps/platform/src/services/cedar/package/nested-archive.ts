/** The signature of an ISO image is the one furthest from the start. */
export const SIGNATURE_BYTES = 32_774

const NAME =
  /\.(?:zip|jar|war|ma|apk|ipa|aab|7z|rar|tar|gz|tgz|bz2|tbz2?|xz|txz|zst|lz4?|cab|iso|crx|xpi|deb|rpm|cpio|arj|lzh|dmg|wim)$/i

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
  { at: 0, bytes: 'Cr24' }, // a Chrome extension
  { at: 0, bytes: 'MSCF' }, // CAB
  { at: 0, bytes: '!<arch>\n' },
  { at: 0, bytes: '\xed\xab\xee\xdb' }, // RPM
  { at: 32_769, bytes: 'CD001' }, // ISO 9660
]

export const isArchiveName = (path: string): boolean => NAME.test(path)

export const isArchive = (head: Buffer): boolean =>
  SIGNATURES.some(({ at, bytes }) => {
    return head.toString('latin1', at, at + bytes.length) === bytes
  })

const LOCAL_FILE = Buffer.from('PK\x03\x04', 'latin1')
const ARCHIVE_END = Buffer.from('PK\x05\x06', 'latin1')

/**
 * Finds a zip that starts after other bytes, as readers that search for its end do. A single
 * signature may occur in any image; a local header followed by an end record may not.
 */
export function createZipSearch() {
  let wanted = LOCAL_FILE
  let isFound = false
  let rest = Buffer.alloc(0)
  return {
    write(chunk: Buffer) {
      if (isFound) return
      let bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
      if (wanted === LOCAL_FILE) {
        const at = bytes.indexOf(LOCAL_FILE)
        if (at !== -1) {
          wanted = ARCHIVE_END
          bytes = bytes.subarray(at)
        }
      }
      if (wanted === ARCHIVE_END) isFound = bytes.includes(ARCHIVE_END)
      // A signature may be split between two chunks.
      rest = Buffer.from(bytes.subarray(-3))
    },
    isFound: () => isFound,
  }
}
