import { nameOf, parseBody, type Answer } from './answer.ts'
import { createCookieJar } from './cookie.ts'
import { answerProblem, preflightProblem, type CorsProblem } from './cors-rules.ts'
import { CallFailure } from './failure.ts'
import type { Report } from './finding.ts'
import { limitedFetch, type LimitedOptions } from './limits.ts'

/** An invalid JSON body: it shows whether a call exists, and changes nothing. */
export const malformed = '{'

/** A call of the service, as a page makes it. */
export interface Call {
  method: 'GET' | 'POST'
  /** A path of the service with its query, or a whole URL. */
  path: string
  json?: object | typeof malformed
  form?: Record<string, string>
  authorization?: string
  /** For the keys: without `api-version`, and redirects are not followed. */
  isPlain?: boolean
  /** The call's own time limit in milliseconds. */
  limit?: number
}

/** A preflight or an answer, with the reason if a page cannot use it. */
export interface Exchange {
  call: string
  isPreflight: boolean
  url: URL
  status: number
  headers: Headers
  problem: CorsProblem | null
}

export interface BrowserOptions extends LimitedOptions {
  /** Ends with a slash. */
  base: URL
  /** The page's origin. */
  origin: string
  apiVersion: string
  report: Report
}

export type Browser = ReturnType<typeof createBrowser>

/**
 * Sends calls like a browser on behalf of a page: preflights, cookies of its own origin, redirects.
 */
export function createBrowser(options: BrowserOptions) {
  const { base, origin, apiVersion, report } = options
  const send = limitedFetch(options)
  const jar = createCookieJar()
  const exchanges: Exchange[] = []
  const preflighted = new Set<string>()

  const isForeign = (url: URL) => url.origin !== origin
  const addressOf = (path: string) =>
    new URL(path.startsWith('/') ? base.href.replace(/\/$/, '') + path : path, base)

  async function preflight(call: string, url: URL, method: string, needed: string[]) {
    const key = `${url.origin}${url.pathname} ${needed.join()}`
    if (preflighted.has(key)) return
    preflighted.add(key)
    const headers = {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': needed.join(','),
    }
    const seen = { call, isPreflight: true, url }
    try {
      const answer = await send(url, { method: 'OPTIONS', headers })
      const problem = preflightProblem(answer.status, answer.headers, { origin, needed })
      exchanges.push({ ...seen, status: answer.status, headers: answer.headers, problem })
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error
      const { code, message, right } = error
      const problem = { code, what: `The preflight: ${message}`, right }
      exchanges.push({ ...seen, status: 0, headers: new Headers(), problem })
    }
  }

  async function exchange(call: Call, name: string, url: URL): Promise<Answer> {
    const { method, json, form, authorization, isPlain } = call
    // The header names that need a preflight, in alphabetical order.
    const asked = {
      ...(!isPlain && apiVersion !== '' && { 'api-version': apiVersion }),
      ...(authorization !== undefined && { authorization }),
      ...(json && { 'content-type': 'application/json' }),
    }
    const needed = Object.keys(asked)
    if (isForeign(url) && needed.length > 0) await preflight(name, url, method, needed)
    const sentAt = Date.now()
    const raw = await send(
      url,
      {
        method,
        headers: {
          accept: isPlain ? 'application/json, application/jwk-set+json' : 'application/json,*/*',
          ...((isForeign(url) || method === 'POST') && { origin }),
          ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
          ...(!isForeign(url) && jar.headers()),
          ...asked,
        },
        ...(json && { body: json === malformed ? json : JSON.stringify(json) }),
        ...(form && { body: new URLSearchParams(form).toString() }),
      },
      call.limit,
    )
    const { status, headers, text } = raw
    const problem = isForeign(url) ? answerProblem(headers, origin) : null
    exchanges.push({ call: name, isPreflight: false, url, status, headers, problem })
    if (!isForeign(url)) jar.add(url, headers.getSetCookie())
    const body = parseBody(text)
    return { call: name, url, status, headers, body, sentAt, receivedAt: Date.now() }
  }

  /** The target of a redirect that a browser follows with the same call; throws for any other. */
  function targetOf(call: Call, { url, status, headers, ...answer }: Answer): URL {
    const location = headers.get('location')
    if (location === null || !URL.canParse(location, url))
      throw new CallFailure(
        'redirect',
        `Answered ${nameOf({ url, status, headers, ...answer })}, which leads nowhere`,
        'Answer the call itself, without a redirect',
      )
    const target = new URL(location, url)
    const what = `Answered ${status}, which leads to ${target.href}`
    const right = `Answer at ${url.href} itself, or give the page the address that it leads to`
    if (call.isPlain) throw new CallFailure('redirect', `${what}; the client follows none`, right)
    if (call.method === 'POST' && status < 307)
      throw new CallFailure('redirect', `${what}: browsers turn this POST into a GET`, right)
    if (target.origin !== url.origin)
      throw new CallFailure('redirect', `${what}, at another origin`, right)
    report.warning('redirect', answer.call, `${what}: each call takes two`, right)
    return target
  }

  return {
    origin,
    base,
    exchanges,
    isForeign,
    addressOf,

    /** Rejects with `CallFailure` if there is no answer to judge. */
    async send(call: Call): Promise<Answer> {
      let url = addressOf(call.path)
      const path = url.origin === base.origin ? url.pathname : url.origin + url.pathname
      const name = `${call.method} ${call.path.startsWith('/') ? call.path.replace(/[?#].*/, '') : path}`
      for (let hops = 0; hops < 3; hops++) {
        const answer = await exchange(call, name, url)
        if (answer.status < 300 || answer.status > 399) return answer
        url = targetOf(call, answer)
      }
      throw new CallFailure(
        'redirect',
        `Leads from one address to the next, last to ${url.href}`,
        'Answer the call itself, without a redirect',
      )
    },
  }
}
