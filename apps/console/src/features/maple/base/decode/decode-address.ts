/** The text to decode in a URL's hash; undefined if the hash is about something else. */
export function bytesOf(hash: string): string | undefined {
  const found = /^decode(?:=(?<bytes>.*))?$/s.exec(hash)
  if (!found) return undefined
  const bytes = found.groups?.['bytes'] ?? ''
  try {
    return decodeURIComponent(bytes)
  } catch {
    return bytes
  }
}
