import { isUtf8 } from 'node:buffer'
import type { Wrong } from './row-problem.ts'

const beyondAscii = /[\u0080-\u00ff]/

/** The text of a row given as Latin-1 bytes, or the byte that is not UTF-8. */
export function decodeRow(text: string, at: number): string | Wrong {
  if (!beyondAscii.test(text)) return text
  const bytes = Buffer.from(text, 'latin1')
  if (isUtf8(bytes)) return bytes.toString('utf8')
  const index = firstNotUtf8(bytes)
  const byte = (bytes[index] ?? 0).toString(16).toUpperCase().padStart(2, '0')
  return { code: 'not_utf8', value: bytes.toString('utf8'), params: { byte, at: at + index } }
}

/** The place of the first byte that cannot be UTF-8. */
export function firstNotUtf8(bytes: Buffer): number {
  let valid = 0
  let wrong = bytes.length
  while (wrong - valid > 1) {
    const middle = Math.ceil((valid + wrong) / 2)
    if (beginsUtf8(bytes.subarray(0, middle))) valid = middle
    else wrong = middle
  }
  // A character may begin correctly and end wrong: report its first byte.
  const last = wrong - 1
  let start = last - 1
  while (isContinuation(bytes[start])) start -= 1
  return last - start < lengthOf(bytes[start]) ? start : last
}

const isContinuation = (byte = 0) => byte >= 0x80 && byte < 0xc0

/** The length of a UTF-8 character by its first byte. */
function lengthOf(byte = 0): number {
  if (byte >= 0xf0) return 4
  if (byte >= 0xe0) return 3
  return byte >= 0xc0 ? 2 : 1
}

/** Whether more bytes could complete it. */
function beginsUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}
