import { maxReaderMessageLength, type FromReader } from '@grove/contract/maple/card/reader.rules'
import { cplcDigits } from '@grove/secure-element/cplc'
import { readJson } from '../../../../core/json-depth.ts'

/** ISO/IEC 7816-3: an answer to reset has at most 33 bytes. */
const atrPattern = /^([0-9A-F]{2}){2,33}$/
const cplcPattern = new RegExp(`^[0-9A-F]{${cplcDigits}}$`)
const replyPattern = /^([0-9A-Fa-f]{2}){2,65538}$/
const codes = ['absent', 'inUse', 'lost'] as const
const nameLimit = 200

/** Parses a message of a reader's program strictly; undefined for anything else. */
export function readMessage(text: string): FromReader | undefined {
  if (text.length > maxReaderMessageLength) return undefined
  let found: unknown
  try {
    found = readJson(text)
  } catch {
    return undefined
  }
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return undefined
  const { type, ...fields } = found as Record<string, unknown>
  const { id, data, code, version, reader, host, atr, cplc } = fields
  const has = (count: number) => Object.keys(fields).length === count
  const isId = typeof id === 'number' && Number.isSafeInteger(id) && id > 0
  switch (type) {
    case 'hello': {
      if (typeof version !== 'number' || !isName(reader)) return undefined
      if (has(2)) return { type, version, reader }
      return has(3) && isName(host) ? { type, version, reader, host } : undefined
    }
    case 'card': {
      const isAtr = atr === null || (typeof atr === 'string' && atrPattern.test(atr))
      const isCplc = cplc === null || (typeof cplc === 'string' && cplcPattern.test(cplc))
      return has(2) && isAtr && isCplc && (atr !== null || cplc === null)
        ? { type, atr, cplc }
        : undefined
    }
    case 'reply':
      return has(2) && isId && typeof data === 'string' && replyPattern.test(data)
        ? { type, id, data }
        : undefined
    case 'failed': {
      const known = codes.find((each) => each === code)
      return has(2) && isId && known ? { type, id, code: known } : undefined
    }
    case 'leave':
      return has(0) ? { type } : undefined
    default:
      return undefined
  }
}

const isName = (text: unknown): text is string =>
  typeof text === 'string' && text.length <= nameLimit && isPlain(text)

/** Text that a database stores and a page shows: no control characters, no half characters. */
const isPlain = (text: string) => text.isWellFormed() && !/\p{Cc}/u.test(text)
