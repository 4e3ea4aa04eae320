import type { ContentReader } from './entry-content.ts'

// Every part is bounded, so a match fits in WINDOW and the search is linear.
const REFERENCE =
  /(?:\b(?:src|href|action|poster|data)\s{0,9}=\s{0,9}["']?|\burl\(\s{0,9}["']?)(\/(?!\/)[^\s"'<>)]{0,150})/gi
const WINDOW = 256

export const hasReferences = (path: string): boolean => /\.(?:html?|css)$/i.test(path)

/** The first absolute reference of a file, and their number. */
export type References = { reference: string; count: number }

/** Finds `/asset` references in streamed HTML and CSS. */
export function createReferenceReader(): ContentReader & { end: () => References | null } {
  let carry = ''
  let first = ''
  let count = 0

  function search(text: string, limit: number) {
    let end = 0
    for (const match of text.matchAll(REFERENCE)) {
      // A match that starts in the window may continue in the next chunk: it is searched again there.
      if (match.index >= limit) break
      first ||= match[1] ?? ''
      count += 1
      end = match.index + match[0].length
    }
    return end
  }

  return {
    write(chunk) {
      // Latin-1: we look for ASCII only, and no character is split between chunks.
      const text = carry + chunk.toString('latin1')
      const limit = Math.max(0, text.length - WINDOW)
      carry = text.slice(Math.max(limit, search(text, limit)))
    },
    end() {
      search(carry, carry.length)
      if (count === 0) return null
      return { reference: Buffer.from(first, 'latin1').toString('utf8'), count }
    },
  }
}
