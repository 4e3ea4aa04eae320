// How search parameters look in the URL: `state=online,offline`, not `state=%5B%22online%22…`.

/** A value as it appears in the URL. JSON, used by older links, is still understood. */
function read(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  if (!/^["[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const isPlain = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !value.includes(',') && read(value) === value

function write(value: unknown): string {
  if (typeof value === 'string' && read(value) === value) return value
  if (Array.isArray(value) && value.length > 0 && value.every(isPlain)) return value.join(',')
  return JSON.stringify(value)
}

const encode = (text: string) =>
  encodeURIComponent(text).replaceAll('%2C', ',').replaceAll('%20', '+')

/** Every value is text, true or false, or the JSON of an older link. */
export const parseSearch = (text: string): Record<string, unknown> =>
  Object.fromEntries([...new URLSearchParams(text)].map(([name, value]) => [name, read(value)]))

export function stringifySearch(search: Record<string, unknown>): string {
  const parts = Object.entries(search).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encode(name)}=${encode(write(value))}`],
  )
  return parts.length > 0 ? `?${parts.join('&')}` : ''
}
