/** The device in a user agent, in names that its owner knows. */
export interface SessionDevice {
  kind: 'computer' | 'phone' | 'tablet' | 'program' | 'unknown'
  /** A browser, or the name a program gives itself; null if nothing is recognised. */
  browser: string | null
  system: string | null
}

// The first match wins: nearly every browser also names those it is compatible with.
const browsers: readonly [RegExp, string][] = [
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPiOS|OPT)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?Chrome\/|\b(?:CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/\S+ .*\bSafari\//, 'Safari'],
]

const systems: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

const firstOf = (table: readonly [RegExp, string][], userAgent: string) =>
  table.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null

export function deviceOf(userAgent: string): SessionDevice {
  // Every browser has called itself Mozilla since the nineties; other programs give their own name.
  if (!userAgent.startsWith('Mozilla/')) {
    const name = /^[\w.-]{1,40}/.exec(userAgent)?.[0] ?? null
    return { kind: name === null ? 'unknown' : 'program', browser: name, system: null }
  }
  const browser = firstOf(browsers, userAgent)
  const system = firstOf(systems, userAgent)
  return { kind: kindOf(userAgent, system), browser, system }
}

function kindOf(userAgent: string, system: string | null): SessionDevice['kind'] {
  if (system === null) return 'unknown'
  if (system === 'iPad') return 'tablet'
  if (system === 'iPhone') return 'phone'
  if (system === 'Android') return /\bMobile\b/.test(userAgent) ? 'phone' : 'tablet'
  return 'computer'
}
