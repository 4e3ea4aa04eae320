/** The XSRF token for this URL: only in a browser, and only for the page's own origin. */
export function xsrfTokenFor(url: string | URL): string | undefined {
  const { document } = globalThis
  const value = document && /(?:^|; *)XSRF-TOKEN=([^;]*)/.exec(document.cookie)?.[1]
  if (!value || new URL(url, document.baseURI).origin !== location.origin) return undefined
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
