const HEADER = 'x-xsrf-token'

/** Adds the XSRF token for this URL: only in a browser, and only for the page's own origin. */
export function addXsrfToken(headers: Headers, url: string | URL): void {
  try {
    const value = /(?:^|; *)XSRF-TOKEN=([^;]*)/.exec(document.cookie)?.[1]
    if (!value || new URL(url, document.baseURI).origin !== location.origin) return
    headers.set(HEADER, value)
    // Sent unchanged if it has an invalid escape.
    headers.set(HEADER, decodeURIComponent(value))
  } catch {
    // There is no document, or no access to cookies: a sandboxed frame throws.
  }
}
