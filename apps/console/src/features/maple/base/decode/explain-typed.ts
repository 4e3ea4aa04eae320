import type { I18n } from '@lingui/core'
import { icSerial, typeName, fabricatorName } from '@grove/secure-element/cplc'
import { decode, type Decoded } from '@grove/secure-element/decode'
import { attempt } from '@grove/secure-element/decode-error'
import type { Part, PartName } from '@grove/secure-element/part'
import { toHex } from '@grove/secure-element/bytes'
import { isStatusWord, statusWord } from '@grove/secure-element/status-word'
import { kindLabels } from './kind.labels.ts'
import { meaningText, termText } from './meaning-text.ts'
import { partLabels } from './part.labels.ts'

/** What a status word means, in whatever form it is typed; undefined if the text is not one. */
export function explainStatus(text: string, i18n: I18n) {
  const hex = /^(?:0x|SW\s*=?\s*)?([69][\da-f])\s?([\da-f]{2})$/i.exec(text.trim())
  const word = Number.parseInt(`${hex?.[1]}${hex?.[2]}`, 16)
  if (!hex || !isStatusWord(word)) return undefined
  const { code, name, value, source } = statusWord(word)
  return { code, meaning: i18n._(termText(`status.${name}`, value)), source }
}

/** What the bytes are, with a short summary; undefined if they are not recognised. */
export function explainBytes(text: string, i18n: I18n) {
  const decoded = attempt(() => decode(text))
  return decoded && { kind: i18n._(kindLabels[decoded.kind]), summary: summaryOf(decoded, i18n) }
}

/** The most that fits on a line. */
const maxMeanings = 3

function summaryOf({ kind, bytes, parts }: Decoded, i18n: I18n): string {
  if (kind === 'cplc' || kind === 'cplcReply') {
    const cplc = toHex(bytes.subarray(kind === 'cplc' ? 0 : 3)).slice(0, 84)
    return [typeName(cplc) ?? fabricatorName(cplc), icSerial(cplc)].filter(Boolean).join(' · ')
  }
  const all = flat(parts).filter(({ name }) => !plain.has(name))
  // The status word at the end says whether it succeeded.
  const first = kind === 'response' ? all.filter(({ name }) => name === 'statusWord') : []
  const meanings = [...first, ...all].flatMap(({ meaning }) =>
    meaning && meaning.kind !== 'number' ? [meaningText(meaning, i18n)] : [],
  )
  if (meanings.length > 0) return [...new Set(meanings)].slice(0, maxMeanings).join(' · ')
  const [part] = parts
  return part ? i18n._(partLabels[part.name]) : ''
}

const flat = (parts: readonly Part[]): Part[] =>
  parts.flatMap((part) => [part, ...flat(part.parts ?? [])])

/** Parts that say nothing on their own. */
const plain = new Set<PartName>(['class', 'tag', 'length', 'atrInitial', 'checkByte'])
