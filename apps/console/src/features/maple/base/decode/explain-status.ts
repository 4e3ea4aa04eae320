import type { I18n } from '@lingui/core'
import { isStatusWord, statusWord } from '@grove/secure-element/status-word'
import { termText } from './meaning-text.ts'

/** What a status word means, however it is typed; undefined for what is none. */
export function explainStatus(text: string, i18n: I18n) {
  const hex = /^(?:0x|SW\s*=?\s*)?([69][\da-f])\s?([\da-f]{2})$/i.exec(text.trim())
  const word = Number.parseInt(`${hex?.[1]}${hex?.[2]}`, 16)
  if (!hex || !isStatusWord(word)) return undefined
  const { code, name, value, source } = statusWord(word)
  return { code, meaning: i18n._(termText(`status.${name}`, value)), source }
}
