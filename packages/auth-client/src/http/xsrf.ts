const COOKIE = 'XSRF-TOKEN'

/** The XSRF token to send to this address: only in a browser, and only to the page's own origin. */
export function xsrfTokenFor(url: string | URL): string | null {
  if (typeof document === 'undefined') return null
  if (new URL(url, document.baseURI).origin !== globalThis.location.origin) return null
  for (const pair of document.cookie.split(';')) {
    const [name, ...value] = pair.trim().split('=')
    if (name === COOKIE) return decode(value.join('='))
  }
  return null
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
