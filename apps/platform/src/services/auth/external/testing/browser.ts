/** A minimal browser for tests: cookies by path, redirects one by one. */
export interface Browser {
  request: (address: string, init?: RequestInit) => Promise<Response>
  /** Follows redirects until one leads to a URL that starts with `stop`; returns that URL. */
  follow: (address: string, stop: string, init?: RequestInit) => Promise<URL | Response>
}

interface Cookie {
  name: string
  value: string
  path: string
}

export function createBrowser(): Browser {
  const cookies = new Map<string, Cookie>()

  const request: Browser['request'] = async (address, init = {}) => {
    const { pathname } = new URL(address)
    const sent = [...cookies.values()].filter(({ path }) => pathname.startsWith(path))
    const headers = new Headers(init.headers)
    if (sent.length > 0)
      headers.set('cookie', sent.map(({ name, value }) => `${name}=${value}`).join('; '))
    const response = await fetch(address, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/; */)
      const [name = '', value = ''] = pair.split('=')
      const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/'
      cookies.set(`${name} ${path}`, { name, value, path })
    }
    return response
  }

  const follow: Browser['follow'] = async (address, stop, init) => {
    const response = await request(address, init)
    const location = response.headers.get('location')
    if (location === null) return response
    const next = new URL(location, address)
    await response.body?.cancel()
    return next.href.startsWith(stop) ? next : follow(next.href, stop)
  }

  return { request, follow }
}
