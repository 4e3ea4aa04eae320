// Runs before the first paint as a classic script. Keys and values are those of
// src/ui/preferences/colour-scheme.ts and src/ui/i18n/locale.ts; storage may be denied.
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

  // Without its scripts the page stays empty: that is said here, since nothing else can.
  const sayItFailed = () => {
    const place = document.getElementById('root')
    if (!place || place.firstChild) return
    document.getElementById('early-form')?.remove()
    const [text, again] =
      root.lang === 'ru-RU'
        ? ['Страница загрузилась не полностью. Проверьте соединение.', 'Повторить']
        : ['The page did not load completely. Check your connection.', 'Try again']
    const notice = document.createElement('div')
    notice.setAttribute('role', 'alert')
    notice.style.cssText = 'max-width:480px;margin:20vh auto;padding:0 16px;text-align:center'
    const button = document.createElement('button')
    button.textContent = again
    button.addEventListener('click', () => location.reload())
    notice.append(Object.assign(document.createElement('p'), { textContent: text }), button)
    place.append(notice)
  }
  addEventListener(
    'error',
    ({ target }) => target instanceof HTMLScriptElement && sayItFailed(),
    true,
  )
  // From src/main.tsx, which can be here without the texts of the page.
  addEventListener('grove.incomplete', sayItFailed)

  // A chunk that is asked for now does not wait for the entry to be loaded and run.
  const { chunks = '{}', texts = '{}', routes = '{}' } = document.currentScript.dataset
  const chunksOf = JSON.parse(chunks)
  const path = location.pathname.replace(/(?<=.)\/$/, '')
  const area = path.split('/')[1]
  // As textsOf in src/ui/i18n/locale.ts, and loadRoutes in src/app/route-tree.tsx.
  const fitting = (table) =>
    Object.entries(table).flatMap(([beginning, part]) => (path.startsWith(beginning) ? [part] : []))
  const parts = fitting(JSON.parse(routes))
  const places = [path, `${root.lang}/${fitting(JSON.parse(texts)).at(-1)}`, parts[0], parts.at(-1)]
  for (const file of new Set(places.flatMap((place) => chunksOf[place] ?? []))) {
    const link = document.createElement('link')
    const isStyle = file.endsWith('.css')
    link.rel = isStyle ? 'preload' : 'modulepreload'
    if (isStyle) link.as = 'style'
    link.crossOrigin = ''
    link.href = `/${file}`
    document.head.append(link)
  }

  const block = document.getElementById('stage')?.textContent ?? ''
  if (block.startsWith('{')) {
    const { default: addresses, settings, auth_jwks } = JSON.parse(block)
    const { auth_api_url = '', auth_jwks_url, auth_public_key } = addresses
    const ask = (path, headers) => {
      const address = new URL(path, new URL(auth_api_url, location.href)).href
      const answer = fetch(address, { headers })
      answer.catch(() => {})
      globalThis.groveEarly = { address, answer }
    }
    // So are the keys that the access token is checked with, where the page has none, and the ways
    // to sign in. src/session/service-fetch.ts takes the answer over: it need not be cached.
    if (area === 'dashboard' && !auth_public_key && !auth_jwks)
      ask(auth_jwks_url ?? '/.well-known/jwks.json')
    if (path === '/login' || path === '/signup')
      ask(`${auth_api_url.replace(/\/+$/, '')}/api/stage/auth`, {
        'api-version': settings.authApiVersion,
      })
  }
}
