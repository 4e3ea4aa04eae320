import { isMissing, isSuccess, nameOf, quoted, reasonIn, type Answer } from './answer.ts'
import type { Context, ReceivedToken } from './context.ts'
import { signInRefused } from './finding.ts'
import { lacksToken, tokenIn } from './token-answer.ts'

const path = '/api/token/password'
export const passwordCall = `POST ${path}`

const strangerEmail = 'nobody@example.invalid'

/** Meets the password rules of the specification, and belongs to nobody. */
const wrongPassword = () => `Wr0ng!${Math.random().toString(36).slice(2, 10).padEnd(8, 'x')}`

const post = ({ browser, options }: Context, email: string, password: string) =>
  browser.send({ method: 'POST', path, json: { email, password, provider: options.realm } })

/** Judges how the service refuses an unknown person; returns the answer. */
export async function judgeStranger(context: Context): Promise<Answer> {
  const { report } = context
  const answer = await post(context, strangerEmail, wrongPassword())
  const { call, status } = answer
  const right = 'Refuse it with 401 and { "detail": "Wrong email or password" }'
  if (tokenIn(answer) !== null)
    report.wrong('any_password', call, 'Signs in whoever asks, with any password', right)
  else if (status === 405 || status === 501)
    report.wrong('no_call', call, `Answered ${status}: there is no such call`, 'Add the call')
  else if (status === 404)
    report.wrong(
      'no_call',
      call,
      'Answered 404: there is no such call, or it says that the account does not exist',
      `Add the call. ${right}`,
    )
  else if (status === 429)
    report.warning(
      'rate_limited',
      call,
      'The first wrong password is refused with 429',
      'Count attempts by account and network, and wait before you check again',
    )
  else if (status >= 400 && status < 500)
    report.fits('refusal', call, `Refuses a wrong password with ${status}`)
  else report.wrong('refusal', call, `Answered a wrong password with ${nameOf(answer)}`, right)
  if (status >= 400) judgeReason(context, answer, right)
  if (/^basic\b/i.test(answer.headers.get('www-authenticate') ?? ''))
    report.warning(
      'basic_dialog',
      call,
      'WWW-Authenticate: Basic lets browsers ask for a password in a window of their own',
      'Leave the header out, or name another scheme',
    )
  return answer
}

function judgeReason({ report }: Context, answer: Answer, right: string): void {
  const { call, body } = answer
  if (reasonIn(body) !== undefined)
    report.fits('refusal_body', call, 'Refuses with a JSON body that has a reason for people')
  else
    report.warning(
      'refusal_body',
      call,
      `The refusal has no detail, message or error_description (${nameOf(answer)}): people read no reason`,
      right,
    )
}

/** Judges whether the refusal reveals that the account exists. */
export async function judgeWrongPassword(
  context: Context,
  email: string,
  stranger: Answer,
): Promise<void> {
  const { report } = context
  const answer = await post(context, email, wrongPassword())
  const { call, status } = answer
  if (tokenIn(answer) !== null)
    return report.wrong(
      'any_password',
      call,
      `Signs ${email} in with any password`,
      'Compare the password',
    )
  if (status === 429 || stranger.status === 429) return
  const differences = [
    status !== stranger.status && `${stranger.status} and ${status}`,
    saidBy(answer, email) !== saidBy(stranger, strangerEmail) &&
      `${saidBy(stranger, strangerEmail)} and ${saidBy(answer, email)}`,
  ].filter((text) => text !== false)
  if (differences.length > 0)
    return report.warning(
      'enumeration',
      call,
      `An unknown account and a wrong password are refused differently: ${differences.join('; ')}. Anybody finds out who has an account`,
      'Refuse both with the same status and the same words',
    )
  report.fits('enumeration', call, 'Refuses an unknown account and a wrong password alike')
}

/** The content of a refusal, without the parts that differ between answers. */
function saidBy({ body }: Answer, email: string): string {
  const names = ['code', 'error', 'type', 'title', 'detail', 'message', 'error_description']
  const fields = Object(body) as Record<string, unknown>
  const said =
    typeof body === 'string'
      ? body
      : names.flatMap((name) => (name in fields ? String(fields[name]) : [])).join(', ')
  return quoted(said.replaceAll(email, 'the address'))
}

/** Signs in to the account; null after a reported failure. */
export async function signIn(context: Context): Promise<ReceivedToken | null> {
  const { report, options } = context
  const { email = '', password = '' } = options
  const answer = await post(context, email, password)
  const { call, status, body } = answer
  const token = tokenIn(answer)
  if (token !== null) return token
  if (isSuccess(answer)) {
    lacksToken(report, answer)
    return null
  }
  if (isMissing(answer)) return null
  const isRefusal = status >= 400 && status < 500
  const reason = reasonIn(body)
  const told = reason === undefined ? '' : `: ${quoted(reason)}`
  report.wrong(
    isRefusal ? signInRefused : 'sign_in',
    call,
    isRefusal
      ? `Refused ${email} with ${status}${told}`
      : `Answered the sign-in of ${email} with ${nameOf(answer)}`,
    isRefusal
      ? 'Correct the email, the password or --realm; if they are right, the service is wrong'
      : 'Answer 200 with a token, or a 4xx with a reason',
  )
  return null
}
