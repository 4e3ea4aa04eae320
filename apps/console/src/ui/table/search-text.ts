import { maxSearchLength } from '@grove/contract/page.rules'

/** The limit of a search box: a CPLC in pairs with colons has three characters per byte. */
export const maxTypedLength = 3 * maxSearchLength

/**
 * A text as it is sent. Hex in pairs, such as a CPLC with spaces, can exceed the limit of a search;
 * the services ignore separators anyway.
 */
export const searchTextOf = (typed: string): string => {
  const text = typed.trim()
  return text.length > maxSearchLength && /^[\da-f\s:]+$/i.test(text)
    ? text.replaceAll(/[\s:]/g, '').slice(0, maxSearchLength)
    : text.slice(0, maxSearchLength)
}
