/** spec §9 "Link id length". */
export const linkIdLength = 7

const linkIdPattern = /^[0-9A-Za-z]{7}$/

/**
 * First parts of addresses of ours that have the length of a link id: `/api/{linkId}` and the page
 * `/{linkId}` share their places with them.
 */
const reserved = new Set([
  'account',
  'console',
  'favicon',
  'healthz',
  'metrics',
  'openapi',
  'preview',
  'product',
  'storage',
])

/** Whether a text has the form of a link id. Such a link need not exist. */
export const isLinkId = (text: string) =>
  linkIdPattern.test(text) && !reserved.has(text.toLowerCase())

/** Maximum length of a shared `url`, and of the target in an app that a link opens. */
export const maxShareUrlLength = 1000
export const maxTargetLength = 512

/** The periods for which opens are shown, in days. */
export const defaultPeriod = 30
export const maxPeriod = 90

/**
 * Whether a target in an app (path, query and fragment) stays in the app for every reader. A host app
 * or a browser takes `//host` for another server, and also `/\\host` and `/%2Fhost` once a slash is
 * normalised or an escape is decoded, however often it was escaped.
 */
export function isPlaceInApp(target: string): boolean {
  // oxlint-disable-next-line no-control-regex -- browsers drop tabs and newlines; nothing needs others
  if (/[\u0000-\u0020\u007f]/.test(target)) return false
  let [path = ''] = target.split(/[?#]/)
  for (;;) {
    // oxlint-disable-next-line no-control-regex -- the same, escaped
    if (!/^\/[^\\\u0000-\u001f\u007f]*$/.test(path)) return false
    // `/..//host` resolves to it.
    if (path.startsWith('//') || new URL(path, 'http://app.invalid').pathname.startsWith('//'))
      return false
    const read = path.replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    )
    if (read === path) return true
    path = read
  }
}
