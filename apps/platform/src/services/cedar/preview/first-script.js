// Runs before anything else on every preview page. The app may change anything on this page
// afterwards: nothing here protects the console, which treats everything it receives as text.
{
  const { name, parent, location, history } = window
  // References to originals that the app may replace.
  const matchMedia = window.matchMedia.bind(window)
  const fetch = window.fetch.bind(window)
  const setTimeout = window.setTimeout.bind(window)
  const clearTimeout = window.clearTimeout.bind(window)
  const [, , token, scheme] = location.pathname.split('/')
  let base = `${location.origin}/p/${token}/${scheme}/`
  // Pages of one frame can only pass on the frame's name.
  const mark = 'grove:'
  let settings = {}
  try {
    if (name.startsWith(mark)) settings = JSON.parse(name.slice(mark.length))
  } catch {
    // The app has set its own.
  }
  const define = (object, key, get, set) =>
    Object.defineProperty(object, key, { configurable: true, enumerable: true, get, set })

  // A sandboxed page has no storage and no cookies: these replacements last as long as the frame.
  const mostCharacters = 5_000_000
  const createStorage = (entries) => {
    const items = new Map(Object.entries(entries ?? {}))
    const set = (key, value) => {
      const before = items.get(key)
      items.set(key, value)
      let size = 0
      for (const [each, text] of items) size += each.length + text.length
      if (size <= mostCharacters) return
      if (before === undefined) items.delete(key)
      else items.set(key, before)
      throw new DOMException('The storage of the preview is full.', 'QuotaExceededError')
    }
    const methods = {
      getItem: (key) => items.get(String(key)) ?? null,
      setItem: (key, value) => set(String(key), String(value)),
      removeItem: (key) => void items.delete(String(key)),
      clear: () => items.clear(),
      key: (index) => [...items.keys()][index] ?? null,
    }
    const storage = new Proxy(Object.create(Storage.prototype), {
      get: (target, key) => {
        if (key === 'length') return items.size
        if (Object.hasOwn(methods, key)) return methods[key]
        return items.get(key) ?? target[key]
      },
      set: (_, key, value) => {
        set(String(key), String(value))
        return true
      },
      has: (target, key) => items.has(key) || key in target,
      deleteProperty: (_, key) => {
        items.delete(key)
        return true
      },
      ownKeys: () => [...items.keys()],
      getOwnPropertyDescriptor: (_, key) =>
        items.has(key)
          ? { configurable: true, enumerable: true, writable: true, value: items.get(key) }
          : undefined,
    })
    return { items, storage }
  }
  const local = createStorage(settings.local)
  const session = createStorage(settings.session)
  define(window, 'localStorage', () => local.storage)
  define(window, 'sessionStorage', () => session.storage)
  const cookies = new Map(Object.entries(settings.cookies ?? {}))
  define(
    document,
    'cookie',
    () => [...cookies].map((pair) => pair.join('=')).join('; '),
    (text) => {
      const [pair = '', ...attributes] = String(text).split(';')
      const [key = '', ...value] = pair.trim().split('=')
      const isOver = attributes.some((attribute) => {
        const [what = '', when = ''] = attribute.trim().split('=')
        if (/^max-age$/i.test(what)) return Number(when) <= 0
        return /^expires$/i.test(what) && Date.parse(when) < Date.now()
      })
      if (isOver) cookies.delete(key)
      else cookies.set(key, value.join('='))
    },
  )
  window.name = ''
  const handOn = () => {
    const { items } = local
    window.name =
      mark +
      JSON.stringify({
        ...settings,
        local: Object.fromEntries(items),
        session: Object.fromEntries(session.items),
        cookies: Object.fromEntries(cookies),
      })
  }
  // A name set while the page unloads is too late for the next one.
  window.addEventListener('beforeunload', handOn)
  window.addEventListener('pagehide', handOn)

  // The language and colour scheme chosen in the console. Style sheets are served for this scheme.
  if (settings.locale) {
    define(Navigator.prototype, 'language', () => settings.locale)
    define(Navigator.prototype, 'languages', () => [settings.locale])
  }
  if (scheme !== 'auto')
    window.matchMedia = (query) =>
      matchMedia(
        [query]
          .join()
          .replace(/\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)/gi, (_, asked) =>
            asked.toLowerCase() === scheme ? '(min-width:0px)' : '(max-width:0px)',
          ),
      )

  let isOffline = false
  define(Navigator.prototype, 'onLine', () => !isOffline)
  window.fetch = (...request) =>
    isOffline ? Promise.reject(new TypeError('Failed to fetch')) : fetch(...request)
  const send = Reflect.get(XMLHttpRequest.prototype, 'send')
  XMLHttpRequest.prototype.send = function (body) {
    if (!isOffline) return Reflect.apply(send, this, [body])
    setTimeout(() => {
      this.dispatchEvent(new ProgressEvent('error'))
      this.dispatchEvent(new ProgressEvent('loadend'))
    })
  }

  // To the console and back, through a channel that the app cannot reach.
  const channel = parent === window ? null : new MessageChannel()
  const port = channel?.port1
  const post = port ? port.postMessage.bind(port) : () => {}
  const asked = new Map()
  let lastAsked = 0
  const receivers = {
    ping: ({ id }) => post({ type: 'pong', id }),
    offline: ({ value }) => {
      if (value === isOffline) return
      isOffline = value
      window.dispatchEvent(new Event(isOffline ? 'offline' : 'online'))
    },
    answer: ({ id, value }) => {
      asked.get(id)?.(value)
      asked.delete(id)
    },
    // A new token for subsequent requests.
    renew: ({ value }) => {
      const renewed = `${value}${scheme}/`
      history.replaceState(history.state, '', location.href.replace(base, renewed))
      base = renewed
    },
  }
  port?.addEventListener('message', ({ data }) => receivers[data.type]?.(data))
  port?.start()

  // The host API of a mini-app, simulated by the console.
  define(window, 'grove', () => host)
  const host = Object.freeze({
    version: 1,
    scheme,
    locale: settings.locale ?? navigator.language,
    /** Resolves to `granted`, `denied` or `undeclared`. */
    permission: (name) =>
      new Promise((resolve) => {
        if (!port) return resolve('denied')
        lastAsked += 1
        asked.set(lastAsked, resolve)
        post({ type: 'ask', id: lastAsked, name: String(name).slice(0, 200) })
      }),
  })

  // What the app logs to its console, in few messages.
  const mostLines = 100
  const longestLine = 2000
  const paceMs = 100
  let lines = []
  let dropped = 0
  let pause
  const flush = () => {
    pause = undefined
    if (lines.length === 0 && dropped === 0) return
    post({ type: 'log', lines, dropped })
    lines = []
    dropped = 0
    pause = setTimeout(flush, paceMs)
  }
  const write = (level, text) => {
    if (!port) return true
    const hasRoom = lines.length < mostLines
    if (hasRoom)
      lines.push({ level, text: String(text).replaceAll(base, '').slice(0, longestLine) })
    else dropped += 1
    if (pause === undefined) flush()
    return hasRoom
  }
  const show = (value) => {
    if (typeof value === 'string') return value
    if (value instanceof Error) return value.stack ?? String(value)
    if (typeof value !== 'object' || value === null) return String(value)
    try {
      const seen = new Set()
      return JSON.stringify(value, (_, inner) => {
        if (typeof inner === 'bigint') return String(inner)
        if (typeof inner !== 'object' || inner === null) return inner
        if (seen.has(inner)) return '…'
        seen.add(inner)
        return inner
      })
    } catch {
      return Object.prototype.toString.call(value)
    }
  }
  for (const level of ['debug', 'log', 'info', 'warn', 'error']) {
    const real = console[level]
    console[level] = (...values) => {
      // Protects both consoles from floods.
      if (write(level, values.map(show).join(' '))) Reflect.apply(real, console, values)
    }
  }
  window.addEventListener(
    'error',
    ({ target, message, error, filename, lineno }) => {
      if (target !== window) write('error', `Not loaded: ${target?.src ?? target?.href ?? ''}`)
      else write('error', error instanceof Error ? show(error) : `${message} ${filename}:${lineno}`)
    },
    true,
  )
  window.addEventListener('unhandledrejection', ({ reason }) =>
    write('error', `Unhandled rejection: ${show(reason)}`),
  )
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
    write('warn', `The preview has no access: ${blockedURI} (${effectiveDirective})`),
  )
  window.addEventListener('pagehide', () => {
    clearTimeout(pause)
    flush()
  })

  if (channel) parent.postMessage({ grove: 'preview', token }, '*', [channel.port2])
  document.currentScript?.remove()
}
