/** The text to decode in the hash of an address; undefined where the hash is about something else. */
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
