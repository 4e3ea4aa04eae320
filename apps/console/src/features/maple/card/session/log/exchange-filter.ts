import type { Exchange } from '@grove/contract/maple/card/session'
import { exchangeWords } from './exchange-words.ts'

export interface ExchangeFilter {
  isFailedOnly: boolean
  /** Bytes in hex, the name of a command, or a status word. */
  text: string
}

const hexOf = ({ command, reply, wrapped }: Exchange) =>
  [command, reply, wrapped?.command, wrapped?.reply].filter((hex) => typeof hex === 'string')

/** Whether bytes match on a byte boundary. */
function hasBytes(hex: string, wanted: string): boolean {
  for (let at = hex.indexOf(wanted); at !== -1; at = hex.indexOf(wanted, at + 1))
    if (at % 2 === 0) return true
  return false
}

/** The predicate of a filter; undefined if everything passes. */
export function exchangeTest({ isFailedOnly, text }: ExchangeFilter) {
  const wanted = text.trim().toUpperCase()
  if (wanted === '' && !isFailedOnly) return undefined
  const hex = wanted.replaceAll(/[\s:]/g, '')
  const isHex = /^([0-9A-F]{2})+$/.test(hex)
  const words = wanted.split(/\s+/)
  return (exchange: Exchange): boolean => {
    if (isFailedOnly && !exchange.isFailed && exchange.outcome !== 'unknown') return false
    if (wanted === '') return true
    if (isHex && hexOf(exchange).some((each) => hasBytes(each, hex))) return true
    const named = `${exchangeWords(exchange).name ?? ''} ${exchange.statusWord ?? ''}`.toUpperCase()
    return words.every((word) => named.includes(word))
  }
}
