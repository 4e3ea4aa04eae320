import type { Findings } from './package-report.ts'

// Letters of other scripts that look like Latin ones, after Unicode's confusables.txt (UTS #39).
const latinOf = new Map(
  Object.entries({
    // Cyrillic
    ...pairs('асԁеһіјӏорԛѕуѵхԝ', 'acdehijlopqsyvxw'),
    ...pairs('АВСЕНІЈКМОРЅТУХԜ', 'ABCEHIJKMOPSTYXW'),
    // Greek
    ...pairs('αινορυ', 'aivopu'),
    ...pairs('ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'),
    // Armenian
    ...pairs('օսոհ', 'ounh'),
  }),
)

function pairs(letters: string, latin: string): Record<string, string> {
  return Object.fromEntries(Array.from(letters, (letter, index) => [letter, latin.charAt(index)]))
}

const words = /[\p{L}\p{M}]+/gu
const isLatin = /\p{Script=Latin}/u

/** Look-alike names: a warning, since an app about alphabets may have them. */
export function createLookAlikes(findings: Findings): { add: (path: string) => void } {
  const byLook = new Map<string, string>()
  return {
    add(path) {
      const letter = strangerIn(path)
      if (letter) {
        const code = `U+${letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
        const latin = latinOf.get(letter) ?? ''
        findings.add('name-mixed-scripts', path, { letter, code, latin })
      }
      const look = lookOf(path)
      const other = byLook.get(look)
      if (other === undefined) byLook.set(look, path)
      // Names that differ only in case or width are an error of their own.
      else if (plain(other) !== plain(path)) findings.add('name-look-alike', path, { other })
    },
  }
}

/** A letter that looks Latin, in a word with Latin letters. */
function strangerIn(path: string): string | undefined {
  for (const [word] of path.normalize('NFKC').matchAll(words)) {
    if (!isLatin.test(word)) continue
    const letter = Array.from(word).find((candidate) => latinOf.has(candidate))
    if (letter !== undefined) return letter
  }
  return undefined
}

const plain = (path: string) => path.normalize('NFKC').toLowerCase()

const lookOf = (path: string) =>
  Array.from(path.normalize('NFKC'), (letter) => latinOf.get(letter) ?? letter)
    .join('')
    .toLowerCase()
