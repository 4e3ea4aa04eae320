import { isLoopback } from './page.ts'

/** A cookie as it was set (RFC 6265 §5.2). */
export interface Cookie {
  name: string
  value: string
  /** Attributes by name in lower case. */
  attributes: Map<string, string>
}

export const xsrfCookie = 'XSRF-TOKEN'

export function parseCookie(line: string): Cookie {
  const [pair = '', ...rest] = line.split(';')
  const at = pair.indexOf('=')
  const attributes = rest.map((part): [string, string] => {
    const [name = '', ...value] = part.split('=')
    return [name.trim().toLowerCase(), value.join('=').trim()]
  })
  return {
    name: pair.slice(0, Math.max(at, 0)).trim(),
    value: pair.slice(at + 1).trim(),
    attributes: new Map(attributes),
  }
}

/** Why a browser drops the cookie; undefined if it keeps it. */
export function dropReason({ attributes }: Cookie, url: URL): string | undefined {
  const domain = attributes.get('domain')?.replace(/^\./, '').toLowerCase()
  if (domain && url.hostname !== domain && !url.hostname.endsWith(`.${domain}`))
    return `its Domain is ${domain}, not ${url.hostname}`
  const isSecure = attributes.has('secure')
  if (isSecure && url.protocol === 'http:' && !isLoopback(url))
    return 'it has Secure, and the service is on http:'
  if (attributes.get('samesite')?.toLowerCase() === 'none' && !isSecure)
    return 'it has SameSite=None without Secure'
  return undefined
}

/** The cookies of a page of the service's own origin. */
export function createCookieJar() {
  const kept = new Map<string, Cookie>()
  return {
    add(url: URL, lines: readonly string[]) {
      for (const cookie of lines.map(parseCookie)) {
        const isGone = Number(cookie.attributes.get('max-age') ?? 1) <= 0 || cookie.value === ''
        if (isGone) kept.delete(cookie.name)
        else if (dropReason(cookie, url) === undefined) kept.set(cookie.name, cookie)
      }
    },
    /** The headers that a page on the service's origin sends, with the client's `X-XSRF-TOKEN`. */
    headers(): Record<string, string> {
      if (kept.size === 0) return {}
      const xsrf = kept.get(xsrfCookie)
      const cookie = [...kept.values()].map(({ name, value }) => `${name}=${value}`).join('; ')
      const isReadable = xsrf && !xsrf.attributes.has('httponly')
      return { cookie, ...(isReadable && { 'x-xsrf-token': decoded(xsrf.value) }) }
    },
  }
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
