// Runs before the first paint as a classic script. Keys and values are those of
// src/app/colour-scheme.ts and src/app/locale.ts; storage may be denied.
{
  const stored = (key) => {
    try {
      return localStorage.getItem(key)
    } catch {
      return null
    }
  }
  const root = document.documentElement
  const scheme = stored('grove.scheme')
  if (scheme === 'light' || scheme === 'dark') root.dataset.scheme = scheme
  const locale = stored('grove.locale') ?? navigator.language
  if (/^ru\b/i.test(locale)) root.lang = 'ru-RU'

  // A chunk that is asked for now does not wait for the entry to be loaded and run.
  const chunks = JSON.parse(document.currentScript.dataset.chunks ?? '{}')
  const path = location.pathname.replace(/\/$/, '')
  const [, area, service] = path.split('/')
  const places =
    area === 'dashboard'
      ? ['/dashboard', path, `${root.lang}/dashboard`, `${root.lang}/${service}`]
      : []
  for (const file of [`${root.lang}/messages`, ...places].flatMap((place) => chunks[place] ?? [])) {
    const link = document.createElement('link')
    const isStyle = file.endsWith('.css')
    link.rel = isStyle ? 'preload' : 'modulepreload'
    if (isStyle) link.as = 'style'
    link.crossOrigin = ''
    link.href = `/${file}`
    document.head.append(link)
  }

  // So are the keys that the access token is checked with (src/app/auth.ts).
  if (area === 'dashboard') {
    const { auth_api_url = '', auth_jwks_url } =
      JSON.parse(document.getElementById('stage')?.textContent || '{}').default ?? {}
    void fetch(auth_jwks_url ?? `${auth_api_url}/.well-known/jwks.json`).catch(() => {})
  }
}
