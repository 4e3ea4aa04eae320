import { malformed } from './browser.ts'
import { isMissing, isSuccess, nameOf } from './answer.ts'
import type { Context } from './context.ts'
import { lacksToken, tokenIn } from './token-answer.ts'

export const anonymousCall = 'GET /api/token/anonymous'
export const existsCall = 'GET /api/user/exists/email'
export const signUpCall = 'POST /api/signup'

/** The token of a guest. */
export async function judgeAnonymous({ browser, report, tokens }: Context): Promise<void> {
  const answer = await browser.send({ method: 'GET', path: '/api/token/anonymous' })
  const { call, status, headers } = answer
  if (status >= 400 && status < 500)
    return report.skipped(
      'no_anonymous',
      call,
      `Answered ${status}: the service has no anonymous tokens`,
    )
  const token = tokenIn(answer)
  if (token === null && isSuccess(answer)) return lacksToken(report, answer)
  if (token === null)
    return report.wrong(
      'anonymous',
      call,
      `Answered ${nameOf(answer)}`,
      'Answer 200 with a token, or 404 where there are no guests',
    )
  report.fits('anonymous', call, 'Answers a token with tokenType and accessToken')
  tokens.judge(token, 'anonymous')
  if (/\b(public|max-age=[1-9])/.test(headers.get('cache-control') ?? ''))
    report.warning(
      'anonymous_cache',
      call,
      'The token may be cached: guests get the same one, perhaps after its end',
      'Send Cache-Control: no-store with every token',
    )
}

/** Whether sign-up and email validation exist; neither call creates an account or sends mail. */
export async function judgeSignUp(context: Context): Promise<boolean> {
  const hasSignUp = await judgePresence(context, '/api/signup', 'people cannot sign up themselves')
  const noMail = 'the service sends no mail to validate addresses'
  await judgePresence(context, '/api/send/validateEmail', noMail)
  return hasSignUp
}

async function judgePresence(
  { browser, report }: Context,
  path: string,
  without: string,
): Promise<boolean> {
  const answer = await browser.send({ method: 'POST', path, json: malformed })
  const { call, status } = answer
  if (isMissing(answer)) {
    report.skipped('no_call_there', call, `Answered ${status}: ${without}`)
    return false
  }
  if (status >= 400 && status < 500)
    report.fits('malformed', call, `Is there, and refuses a body that is no JSON with ${status}`)
  else
    report.warning(
      'malformed',
      call,
      `Answered a body that is no JSON with ${nameOf(answer)}`,
      'Refuse it with 400',
    )
  return true
}

/** Whether a used address is reported as taken, and an unused one as free. */
export async function judgeExists(context: Context, hasSignUp: boolean): Promise<void> {
  const { browser, report, options } = context
  const ask = (email: string) => {
    const query = new URLSearchParams({ email, provider: options.realm })
    return browser.send({ method: 'GET', path: `/api/user/exists/email?${query}` })
  }
  const call = existsCall
  const right = 'Answer 200 with true, false or { "exists": … }'
  const free = await ask('nobody@example.invalid')
  const { email } = options
  const taken = email === undefined ? undefined : await ask(email)
  if (isMissing(free) && (taken === undefined || isMissing(taken))) {
    const what = `Answered ${free.status}: there is no such call`
    if (!hasSignUp) return report.skipped('no_exists', call, `${what}, nor a sign-up that needs it`)
    return report.wrong(
      'no_exists',
      call,
      `${what}, and the sign-up cannot tell a taken address`,
      right,
    )
  }
  if (isMissing(free))
    return report.wrong(
      'exists_status',
      call,
      `Answers an address that is free with ${free.status}: emailExists() fails instead of saying so`,
      right,
    )
  const [isFreeTaken, isTaken] = [existence(free.body), taken && existence(taken.body)]
  const odd = [free, taken].find(
    (each) => each && (!isSuccess(each) || existence(each.body) === null),
  )
  if (odd) return report.wrong('exists', call, `Answered ${nameOf(odd)}`, right)
  if (isFreeTaken === true)
    return report.wrong(
      'exists_free',
      call,
      'Says that nobody@example.invalid has an account',
      right,
    )
  if (isTaken === false)
    return report.wrong('exists_taken', call, `Says that ${email} has no account`, right)
  report.fits(
    'exists',
    call,
    taken ? 'Tells a taken address from a free one' : 'Says that an unknown address is free',
  )
}

function existence(body: unknown): boolean | null {
  const value = typeof body === 'object' ? (Object(body) as { exists?: unknown }).exists : body
  return typeof value === 'boolean' ? value : null
}
