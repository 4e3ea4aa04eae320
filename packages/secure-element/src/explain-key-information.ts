import { byteAt } from './bytes.ts'
import { DecodeError } from './decode-error.ts'
import { explainTlv } from './explain-tlv.ts'
import { parseKeyInformation } from './key-information.ts'
import type { Part } from './part.ts'
import { explainStatusWord } from './status-word.ts'
import { readTlvHead } from './tlv.ts'

/**
 * Explains a reply to GET DATA `00E0`: the key information template and the status word, if present.
 */
export function explainKeyInformationReply(bytes: Uint8Array, now: Date): Part[] {
  if (byteAt(bytes, 0) !== 0xe0)
    throw new DecodeError('wrongTag', 0, {
      expected: 'E0',
      found: bytes.length === 0 ? '' : byteAt(bytes, 0).toString(16).toUpperCase().padStart(2, '0'),
    })
  const { to } = readTlvHead(bytes, 0)
  parseKeyInformation(bytes, 0, to)
  return [
    ...explainTlv(bytes, now, 0, to),
    ...(to < bytes.length ? explainStatusWord(bytes, to) : []),
  ]
}
