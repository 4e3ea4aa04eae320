import { isMissing, isSuccess, nameOf, quoted, type Answer } from './answer.ts'
import type { Context } from './context.ts'
import { tokenIn } from './token-answer.ts'

const path = '/api/stage/auth'
export const stageCall = `GET ${path}`

const shape = 'Answer { "urls": { "login": "…", "redirect": "…", "callback": "…" }, "realm": "…" }'

/** The external login announced by an answer. */
interface Announced {
  urls: Record<'login' | 'redirect' | 'callback', string>
  realm: string
  brokers?: unknown
}

/**
 * Judges the external login, from the stage's announcement to the callback; `answer` is the stage's.
 */
export async function judgeExternalLogin(context: Context, answer: Answer): Promise<void> {
  const { report, options } = context
  const { call, status } = answer
  if (isMissing(answer))
    return report.skipped(
      'no_external',
      call,
      `Answered ${status}: the service has no external login`,
    )
  const announced = judgeInfo(context, answer)
  if (announced === null) return
  if (announced.urls.login === '')
    return report.skipped('no_external', call, 'Names no external login: urls.login is empty')
  if (!judgeAddresses(context, call, announced)) return
  const ids = Array.isArray(announced.brokers)
    ? announced.brokers.map((broker) => (Object(broker) as { id?: unknown }).id)
    : []
  const broker = options.broker ?? ids.find((id): id is string => typeof id === 'string')
  await judgeBroker(context, broker)
  await judgeCallback(context, announced)
}

function judgeInfo({ report }: Context, answer: Answer): Announced | null {
  const { call, body } = answer
  const { urls, realm } = Object(body) as { urls?: unknown; realm?: unknown }
  const { login, redirect, callback } = Object(urls) as Record<string, unknown>
  const texts = { 'urls.login': login, 'urls.redirect': redirect, 'urls.callback': callback, realm }
  const missing = Object.entries(texts)
    .filter(([, text]) => typeof text !== 'string')
    .map(([name]) => name)
  if (!isSuccess(answer) || missing.length > 0) {
    const why = isSuccess(answer) ? `, without the texts ${missing.join(', ')}` : ''
    report.wrong('external', call, `Answered ${nameOf(answer)}${why}`, shape)
    return null
  }
  return body as Announced
}

/**
 * A page navigates to the first and posts to the second; the third is passed to the provider
 * unchanged.
 */
function judgeAddresses(
  { browser, report, options }: Context,
  call: string,
  { urls }: Announced,
): boolean {
  const odd = [
    !isWeb(urls.login, browser.base) && 'urls.login',
    !isWeb(urls.callback, browser.base) && 'urls.callback',
    !isWeb(urls.redirect) && 'urls.redirect',
  ].filter((name) => name !== false)
  if (odd.length > 0) {
    report.wrong(
      'external_address',
      call,
      `${odd.join(', ')}: no address that begins with https://`,
      'Answer whole addresses',
    )
    return false
  }
  const page = new URL(urls.redirect).origin
  // A service has only one such page, so this is reported once.
  if (call === stageCall && options.origin !== undefined && page !== options.origin)
    report.warning(
      'external_redirect',
      call,
      `urls.redirect is a page of ${page}, not of ${options.origin}: the login begun in one is unknown to the other`,
      'Name the page that completes the login, at the origin of the page that starts it',
    )
  report.fits('external', call, 'Has urls.login, urls.redirect, urls.callback and realm')
  return true
}

function isWeb(address: string, base?: URL): boolean {
  if (address === '' || !URL.canParse(address, base)) return false
  return /^https?:$/.test(new URL(address, base).protocol)
}

async function judgeBroker(context: Context, broker: string | undefined): Promise<void> {
  const { browser, report, options } = context
  const calls = [
    ['/api/info', { broker: broker ?? '', provider: options.realm }],
    ['/api/info/global', { broker: broker ?? '' }],
  ] as const
  for (const [path, query] of calls) {
    const call = `GET ${path}`
    if (broker === undefined) {
      report.skipped('no_broker', call, 'The service names no brokers: give --broker to check one')
      continue
    }
    const address = `${path}?${new URLSearchParams(query)}`
    const answer = await browser.send({ method: 'GET', path: address })
    if (isMissing(answer))
      report.wrong(
        'no_info',
        call,
        `Answered ${answer.status} for the broker ${quoted(broker)}: its button leads nowhere`,
        'Add the call; it answers as /api/stage/auth does',
      )
    else {
      const info = judgeInfo(context, answer)
      if (info) judgeAddresses(context, answer.call, info)
    }
  }
}

/** A made-up code must be refused in a readable form. */
async function judgeCallback(context: Context, { urls, realm }: Announced): Promise<void> {
  const { browser, report, options } = context
  const path = new URL(urls.callback, new URL(options.url)).href
  const form = { Provider: realm, RedirectUrl: urls.redirect, Code: 'made-up' }
  const answer = await browser.send({ method: 'POST', path, form })
  const { call, status } = answer
  if (tokenIn(answer) !== null)
    report.wrong(
      'any_code',
      call,
      'Signs in with a made-up code',
      'Have the provider check the code',
    )
  else if (isMissing(answer))
    report.wrong(
      'callback',
      call,
      `Answered ${status}: nothing takes the code at urls.callback`,
      'Add the call, or correct urls.callback',
    )
  else if (status >= 400 && status < 500)
    report.fits('callback', call, `Refuses a made-up code with ${status}`)
  else
    report.wrong(
      'callback',
      call,
      `Answered a made-up code with ${nameOf(answer)}`,
      'Refuse it with a 4xx and a reason; no redirect, the page posts to it by fetch',
    )
}
