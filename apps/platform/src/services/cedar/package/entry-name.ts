import type { Findings } from './package-report.ts'

const MAX_NAME_BYTES = 255
const MAX_PATH_BYTES = 1024

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

// The list of MiniApp Packaging, plus "?" (a path in a URL ends there) and characters that reorder or
// hide text. The published list includes ".", which would ban manifest.json: we read it as the
// trailing dot that `name-ending` refuses.
const BANNED = /["*:<>?|\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u

// Windows treats these names as devices, whatever their extension and case.
const RESERVED = /^(con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])(\.|$)/i

/** Decodes a name, or null if it is not UTF-8. `shownName` makes either case readable. */
export function decodeName(raw: Buffer): string | null {
  try {
    // Without the UTF-8 flag the letters are formally CP437, but macOS writes UTF-8 unflagged.
    return utf8.decode(raw)
  } catch {
    return null
  }
}

export const shownName = (raw: Buffer): string => decodeName(raw) ?? raw.toString('latin1')

/**
 * Checks a name and returns its path, or null if the path is unsafe. A backslash is an error of its
 * own; the returned path has slashes, as the developer intended.
 */
export function checkName(name: string, findings: Findings): string | null {
  const path = name.replaceAll('\\', '/')
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) {
    findings.add('path-absolute', name)
    return null
  }
  const parts = path.replace(/\/$/, '').split('/')
  if (parts.includes('..')) {
    findings.add('path-traversal', name)
    return null
  }
  if (parts.includes('') || parts.includes('.')) {
    findings.add('path-not-clean', name)
    return null
  }
  const longest = Math.max(...parts.map((part) => Buffer.byteLength(part)))
  const total = Buffer.byteLength(name)
  if (longest > MAX_NAME_BYTES || total > MAX_PATH_BYTES) {
    const byPart = longest > MAX_NAME_BYTES
    findings.add('name-too-long', name, {
      bytes: byPart ? longest : total,
      limit: byPart ? MAX_NAME_BYTES : MAX_PATH_BYTES,
    })
    return null
  }
  const banned = BANNED.exec(path)?.[0].codePointAt(0)
  if (banned !== undefined) {
    const code = `U+${banned.toString(16).toUpperCase().padStart(4, '0')}`
    findings.add('name-character', name, { code })
    return null
  }
  if (parts.some((part) => /[. ]$/.test(part))) {
    findings.add('name-ending', name)
    return null
  }
  if (parts.some((part) => RESERVED.test(part))) {
    findings.add('name-reserved', name)
    return null
  }
  if (/%[\da-f]{2}/i.test(path)) {
    findings.add('name-escape', name)
    return null
  }
  if (path !== name) findings.add('path-backslash', name)
  return path
}

// Upper case first: it maps ß to SS and the final sigma to the ordinary one, lower case alone does
// not. Together they approximate full case folding. NFKC maps full-width letters and ligatures to
// ordinary ones, as some file systems do.
const fold = (name: string) => name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')

export interface NameIndex {
  add(name: string, findings: Findings): void
}

/** Finds paths that some file system or reader cannot distinguish, including their folders. */
export function createNameIndex(): NameIndex {
  const seen = new Map<string, { name: string; isFolder: boolean; isListed: boolean }>()
  return {
    add(name, findings) {
      const parts = name.replace(/\/$/, '').split('/')
      for (let length = 1; length <= parts.length; length += 1) {
        const path = parts.slice(0, length).join('/')
        const isListed = length === parts.length
        const isFolder = !isListed || name.endsWith('/')
        const key = fold(path)
        const other = seen.get(key)
        if (!other) {
          seen.set(key, { name: path, isFolder, isListed })
          continue
        }
        const same = other.name === path && other.isFolder && isFolder
        if (!same || (other.isListed && isListed)) {
          findings.add('duplicate-name', name, { other: other.name })
          return
        }
        other.isListed ||= isListed
      }
    },
  }
}
