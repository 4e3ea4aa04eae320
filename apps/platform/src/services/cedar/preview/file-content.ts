import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'
import type { PackedFile } from './preview-packages.ts'

const inflate = promisify(inflateRaw)

/** The contents of a file; never more than its archive declares. */
export async function inflated({ packed, method, bytes }: PackedFile): Promise<Buffer> {
  if (method === 0) return packed
  // Zero would mean no limit.
  return inflate(packed, { maxOutputLength: Math.max(bytes, 1) })
}

// RFC 1952: deflate, no name, no time, unknown system.
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

/** The packed bytes, wrapped as gzip for browsers. */
export function gzipped({ packed, bytes, crc32 }: PackedFile): Buffer {
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc32, 0)
  trailer.writeUInt32LE(bytes, 4)
  return Buffer.concat([gzipHeader, packed, trailer])
}

const searched = 64 * 1024
const commentEnd = /--!?>/g
const spaces = /\s*/y

/**
 * The end of the doctype; 0 without one. Only a byte-order mark, whitespace and comments precede it.
 */
function doctypeEnd(text: string): number {
  let at = text.startsWith('\u00ef\u00bb\u00bf') ? 3 : 0
  for (;;) {
    spaces.lastIndex = at
    at += spaces.exec(text)?.[0].length ?? 0
    if (!text.startsWith('<!--', at)) break
    // The shortest comment is `<!-->`.
    commentEnd.lastIndex = at + 2
    if (!commentEnd.exec(text)) return 0
    at = commentEnd.lastIndex
  }
  if (text.slice(at, at + 9).toLowerCase() !== '<!doctype') return 0
  return text.indexOf('>', at) + 1
}

/**
 * The page with a script inserted before everything else. The parser then creates the head that
 * contains it, and merges the page's own tags.
 */
export function withFirstScript(html: Buffer, script: Buffer): Buffer {
  // Latin-1: the page's encoding is preserved.
  const start = html.subarray(0, searched).toString('latin1')
  const at = doctypeEnd(start)
  return Buffer.concat([html.subarray(0, at), script, html.subarray(at)])
}

const mediaQuery = /\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)/gi
const bothSchemes = /(color-scheme["']?\s*(?::|content=)\s*["']?)(?:light\s+dark|dark\s+light)\b/gi

/** Makes a style sheet or page use the chosen colour scheme instead of the system's. */
export function inScheme(content: Buffer, scheme: 'light' | 'dark'): Buffer {
  const text = content
    .toString('latin1')
    .replaceAll(mediaQuery, (_, asked: string) =>
      asked.toLowerCase() === scheme ? '(min-width:0px)' : '(max-width:0px)',
    )
    .replaceAll(bothSchemes, (_, before: string) => before + scheme)
  return Buffer.from(text, 'latin1')
}
