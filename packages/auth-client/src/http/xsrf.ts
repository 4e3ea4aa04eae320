const COOKIE = /(?:^|; *)XSRF-TOKEN=([^;]*)/

/** The XSRF token to send to this address: only in a browser, and only to the page's own origin. */
export function xsrfTokenFor(url: string | URL): string | null {
  if (typeof document === 'undefined') return null
  if (new URL(url, document.baseURI).origin !== location.origin) return null
  const value = COOKIE.exec(document.cookie)?.[1]
  return value === undefined ? null : decode(value)
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
