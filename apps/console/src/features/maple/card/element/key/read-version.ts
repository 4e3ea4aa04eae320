/** A key version typed in hex; undefined if it is invalid. */
export function readVersion(text: string, most = 0xff): number | undefined {
  const digits = text.trim()
  const version = /^[0-9a-f]{1,2}$/i.test(digits) ? Number.parseInt(digits, 16) : 0
  return version >= 1 && version <= most ? version : undefined
}
