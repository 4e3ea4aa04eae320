import { maxSearchLength } from '@grove/contract/page.rules'

/** What fits into a search box: a CPLC in pairs with colons has three characters a byte. */
export const maxTypedLength = 3 * maxSearchLength

/**
 * A text as it is sent. Hex in pairs, such as a CPLC with spaces, is longer than a search may be; the
 * services ignore what stands between.
 */
export const searchTextOf = (typed: string): string => {
  const text = typed.trim()
  return text.length > maxSearchLength && /^[\da-f\s:]+$/i.test(text)
    ? text.replaceAll(/[\s:]/g, '').slice(0, maxSearchLength)
    : text.slice(0, maxSearchLength)
}
