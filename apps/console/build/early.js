// Runs before the first paint as a classic script. Keys and values are those of
// src/app/colour-scheme.ts and src/app/locale.ts; storage may be denied.
;(function () {
  var root = document.documentElement
  try {
    var scheme = localStorage.getItem('grove.scheme')
    if (scheme === 'light' || scheme === 'dark') root.dataset.scheme = scheme
    var locale = localStorage.getItem('grove.locale')
    if (locale === 'ru-RU' || (!locale && /^ru\b/i.test(navigator.language))) root.lang = 'ru-RU'
  } catch {}
})()
