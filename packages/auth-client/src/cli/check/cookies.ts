import { dropReason, parseCookie, xsrfCookie, type Cookie } from './cookie.ts'
import type { Context } from './context.ts'

/** Judges the service's cookies: the client uses only XSRF-TOKEN, on its own origin. */
export function judgeCookies({ browser, report }: Context): void {
  const set = new Map<string, { cookie: Cookie; call: string; url: URL }>()
  for (const { headers, call, url } of browser.exchanges)
    for (const line of headers.getSetCookie()) {
      const cookie = parseCookie(line)
      if (!set.has(cookie.name)) set.set(cookie.name, { cookie, call, url })
    }
  for (const { cookie, call, url } of set.values()) {
    if (browser.isForeign(url)) {
      if (cookie.name === xsrfCookie)
        report.warning(
          'cookie_foreign',
          call,
          `Pages of ${browser.origin} neither keep the cookie ${xsrfCookie} nor send its header: they are of another origin`,
          'Demand X-XSRF-TOKEN of pages of the own origin alone',
        )
      continue
    }
    const reason = dropReason(cookie, url)
    if (reason !== undefined)
      report.wrong(
        'cookie_dropped',
        call,
        `Browsers drop the cookie ${cookie.name}: ${reason}`,
        'Correct its attributes, such as Path=/; Secure; SameSite=Lax',
      )
    else if (cookie.name === xsrfCookie) judgeXsrf(cookie, call)
  }
  judgeCredentials()

  function judgeXsrf({ attributes }: Cookie, call: string): void {
    if (attributes.has('httponly'))
      return report.wrong(
        'xsrf_http_only',
        call,
        `The cookie ${xsrfCookie} has HttpOnly: no page can read it and send X-XSRF-TOKEN`,
        'Leave HttpOnly out of this cookie; its value is no secret to the page',
      )
    const path = attributes.get('path')
    if (path !== '/')
      return report.wrong(
        'xsrf_path',
        call,
        `The cookie ${xsrfCookie} has ${path ? `the Path ${path}` : 'no Path'}: pages elsewhere do not see it`,
        'Set it with Path=/',
      )
    report.fits('xsrf', call, `Pages can read ${xsrfCookie} and send X-XSRF-TOKEN`)
  }

  /** Credentials with any origin would let every site make calls with its visitors' cookies. */
  function judgeCredentials(): void {
    const open = browser.exchanges.find(
      ({ url, headers }) =>
        browser.isForeign(url) &&
        headers.get('access-control-allow-credentials') === 'true' &&
        headers.get('access-control-allow-origin') === '*',
    )
    if (open && set.size > 0)
      report.warning(
        'credentials',
        open.call,
        'Access-Control-Allow-Credentials: true beside Access-Control-Allow-Origin: *, which browsers refuse with cookies',
        'Leave Access-Control-Allow-Credentials out: the client sends no cookies to another origin',
      )
  }
}
