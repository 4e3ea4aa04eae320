const MAX_TITLE = 120

// Path separators, characters reserved by Windows, control characters, and those that reorder text (a
// name that shows as "fdp.exe" reversed).
const UNSAFE = /["*/:<>?\\|\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu

const clean = (text: string) => text.replace(UNSAFE, ' ').replace(/\s+/g, ' ').trim()

/** The file name of a downloaded package: `{title} - v{version}.zip`, safe on every system. */
export function packageFileName(title: string, version: string): string {
  const characters = Array.from(clean(title)).slice(0, MAX_TITLE).join('')
  // Leading dots hide a file on Unix.
  const name = characters.replace(/^[. ]+/, '').trim() || 'mini-app'
  return `${name} - v${clean(version)}.zip`
}

/**
 * RFC 6266: an ASCII `filename` for old clients, the real name as `filename*` (RFC 8187).
 * @example contentDisposition('Часы - v1.zip') // attachment; filename="____ - v1.zip"; …
 */
export function contentDisposition(name: string): string {
  const wellFormed = name.toWellFormed()
  const ascii = wellFormed.replace(/[^\x20-\x7e]/gu, '_').replace(/["\\%]/g, '_')
  // encodeURIComponent leaves these four, which are not attr-char of RFC 8187.
  const encoded = encodeURIComponent(wellFormed).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
