/** What an event stores of the subject before or after a change, as JSON. */
const maxBytes = 16 * 1024
const maxCharacters = 1000
const maxItems = 50
const deepest = 8

/** Names of properties whose text is never stored, wherever it comes from. */
const secretName = /password|secret|token|private_?key|api_?key|sealed|authorization/i
export const hiddenText = '[hidden]'

/**
 * The value as JSON for an event's row: text in a property named like a secret is redacted, long text
 * and long lists are truncated, and what is still too large is replaced by its size.
 */
export function eventValue(value: unknown): string | null {
  if (value === undefined) return null
  const json = JSON.stringify(shorten(value, 0))
  const bytes = Buffer.byteLength(json)
  return bytes <= maxBytes ? json : JSON.stringify({ tooLarge: bytes })
}

function shorten(value: unknown, depth: number): unknown {
  if (typeof value === 'string')
    return value.length > maxCharacters ? `${value.slice(0, maxCharacters).toWellFormed()}…` : value
  if (typeof value !== 'object' || value === null) return value
  if (depth >= deepest) return '…'
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return shorten(value.toJSON(), depth + 1)
  if (Array.isArray(value)) {
    const items = value.slice(0, maxItems).map((item) => shorten(item, depth + 1))
    return value.length > maxItems ? [...items, `… ${value.length - maxItems} more`] : items
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [
      name,
      typeof child === 'string' && secretName.test(name) ? hiddenText : shorten(child, depth + 1),
    ]),
  )
}
