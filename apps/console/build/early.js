// Runs before the first paint as a classic script. Keys and values are those of
// src/app/colour-scheme.ts and src/app/locale.ts; storage may be denied.
;(function () {
  var root = document.documentElement
  try {
    var scheme = localStorage.getItem('grove.scheme')
    if (scheme === 'light' || scheme === 'dark') root.dataset.scheme = scheme
  } catch {}
  try {
    var locale = localStorage.getItem('grove.locale')
  } catch {}
  if (locale === 'ru-RU' || (!locale && /^ru\b/i.test(navigator.language))) root.lang = 'ru-RU'

  // A chunk that is asked for now does not wait for the entry to be loaded and run.
  var chunks = JSON.parse(document.currentScript.dataset.chunks || '{}')
  var path = location.pathname.replace(/\/$/, '')
  var places = [root.lang + '/messages']
  if (/^\/dashboard(\/|$)/.test(path)) {
    var service = path.split('/')[2]
    places.push('/dashboard', path, root.lang + '/dashboard', root.lang + '/' + service)
  }
  places.forEach(function (place) {
    ;(chunks[place] || []).forEach(function (file) {
      var link = document.createElement('link')
      var isStyle = /\.css$/.test(file)
      link.rel = isStyle ? 'preload' : 'modulepreload'
      if (isStyle) link.as = 'style'
      link.crossOrigin = ''
      link.href = '/' + file
      document.head.append(link)
    })
  })
})()
