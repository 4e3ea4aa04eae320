/**
 * The path to return to after signing in; undefined if `value` is not a page of this console.
 * `//host`, `/\host` and control characters, which browsers drop, would lead to a foreign origin.
 */
export function localPath(value: unknown): string | undefined {
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  if (typeof value !== 'string' || !/^\/(?![/\\])[^\u0000-\u001f\u007f\\]*$/.test(value)) return
  const base = 'http://console.invalid'
  const url = URL.canParse(value, base) ? new URL(value, base) : undefined
  if (url?.origin !== base) return
  if (/^\/(login|signup)(\/|$)/.test(url.pathname)) return
  // `/..//host` resolves to a path that would be read as a host.
  if (url.pathname.startsWith('//')) return
  return url.pathname + url.search + url.hash
}
