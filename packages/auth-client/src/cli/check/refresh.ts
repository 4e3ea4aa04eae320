import { createSession } from '../../session/session.ts'
import { decodeClaims } from '../../session/token.ts'
import { endsSession, isMissing, isSuccess, nameOf, quoted, type Answer } from './answer.ts'
import type { Context, ReceivedToken } from './context.ts'
import { lacksToken, tokenIn } from './token-answer.ts'

const path = '/api/token/refresh'
export const refreshCall = `POST ${path}`

/** Sends a refresh token with the access token's realm, like the client. */
export function postRefresh({ browser, options }: Context, token: Partial<ReceivedToken>) {
  const { provider } = decodeClaims(token.accessToken ?? '')
  const named = typeof provider === 'string' && provider !== '' ? provider : options.realm
  const json = { refreshToken: token.refreshToken, provider: named }
  return browser.send({ method: 'POST', path, json })
}

/** Judges whether a made-up refresh token is refused in a way that the client understands. */
export async function judgeUnknownToken(context: Context): Promise<void> {
  const { report } = context
  const answer = await postRefresh(context, { refreshToken: 'made-up' })
  const { call, status } = answer
  if (isMissing(answer))
    return report.wrong(
      'no_call',
      call,
      `Answered ${status}: there is no such call`,
      'Add the call',
    )
  if (endsSession(answer))
    return report.fits('unknown_refused', call, `Refuses an unknown refresh token with ${status}`)
  report.wrong(
    'unknown_taken',
    call,
    `Answered an unknown refresh token with ${nameOf(answer)}: the client takes that for a failure of a moment, and asks again for ever`,
    'Refuse it with 401; only a 4xx other than 408, 425 and 429 ends the session',
  )
}

/**
 * Refreshes a session twice, and reuses old refresh tokens. Returns the session if it is still valid;
 * null if it ended, as it should.
 */
export async function judgeRefresh(
  context: Context,
  first: ReceivedToken,
): Promise<ReceivedToken | null> {
  const { report } = context
  const call = refreshCall
  if (first.refreshToken === undefined) {
    const hasCookie = first.headers.getSetCookie().length > 0
    report.warning(
      'no_refresh_token',
      first.call,
      `There is no refresh token: the session ends with the access token${hasCookie ? '. The client takes none from a cookie' : ''}`,
      'Answer a refreshToken beside the accessToken',
    )
    return first
  }
  const second = await renew(context, first)
  if (second === null) return first
  report.fits('refresh', call, 'Exchanges the refresh token for a new access token')
  judgeRenewed(context, first, second)
  if (second.refreshToken === first.refreshToken) {
    report.warning(
      'not_rotated',
      call,
      'The refresh token stays the same: a stolen one serves for as long as the session',
      'Answer a new refresh token to each refresh, and refuse the used one',
    )
    return second
  }
  const third = await renew(context, second)
  if (third === null) return second
  if (third.refreshToken === second.refreshToken) return third
  return judgeReuse(context, first, second, third)
}

/** One refresh; if the answer has no refresh token, the old one stays. */
async function renew(context: Context, token: ReceivedToken): Promise<ReceivedToken | null> {
  const answer = await postRefresh(context, token)
  const renewed = tokenIn(answer)
  if (renewed) return { ...token, ...renewed }
  if (isSuccess(answer)) lacksToken(context.report, answer)
  else if (!isMissing(answer))
    context.report.wrong(
      'refresh_refused',
      answer.call,
      `Answered the refresh token that it had just given with ${nameOf(answer)}`,
      'Take it, and answer 200 with a new token',
    )
  return null
}

function judgeRenewed(
  { report, tokens }: Context,
  first: ReceivedToken,
  second: ReceivedToken,
): void {
  const call = refreshCall
  tokens.judge(second, 'later')
  const [before, after] = [first, second].map((token) => createSession(token, token))
  if (before && after && before.userId !== after.userId && !before.userId.startsWith('session '))
    report.wrong(
      'other_user',
      call,
      `The refreshed token is of another user: ${after.userId} instead of ${before.userId}`,
      'Issue it for the account of the refresh token',
    )
  else report.fits('same_user', call, 'The refreshed token is of the same user')
  if (first.accessToken === second.accessToken)
    report.wrong(
      'same_token',
      call,
      'The refresh answers the same access token again, so its end does not move',
      'Issue a new access token with a later exp',
    )
  const [old, renewed] = [decodeClaims(first.accessToken), decodeClaims(second.accessToken)]
  for (const name of ['iss', 'aud', 'provider'])
    if (JSON.stringify(old[name]) !== JSON.stringify(renewed[name]))
      report.wrong(
        'claim_changed',
        call,
        `The refresh changes ${name} from ${quoted(old[name])} to ${quoted(renewed[name])}`,
        'Issue refreshed tokens with the claims of a sign-in',
      )
}

/**
 * The last used refresh token may get its answer again, since an answer can be lost; reuse of an
 * older one means that it was copied (PROTOCOL.md, "Rotation").
 */
async function judgeReuse(
  context: Context,
  first: ReceivedToken,
  second: ReceivedToken,
  third: ReceivedToken,
): Promise<ReceivedToken | null> {
  const { report } = context
  const call = refreshCall
  report.fits('rotation', call, 'Rotates the refresh token')
  const again = await postRefresh(context, second)
  const old = await postRefresh(context, first)
  if (isSuccess(old)) {
    report.wrong(
      'reuse_taken',
      call,
      'A used refresh token is taken again: a stolen one serves for as long as the session',
      'Refuse a used refresh token with 401, and end its session',
    )
    return third
  }
  if (!endsSession(old)) {
    report.wrong(
      'reuse_status',
      call,
      `A used refresh token is answered with ${nameOf(old)}: the client asks again for ever`,
      'Refuse a used refresh token with 401, and end its session',
    )
    return third
  }
  judgeAgain(context, again, third)
  const last = await postRefresh(context, third)
  if (endsSession(last)) {
    report.fits('reuse', call, 'Refuses a used refresh token, and ends its session')
    return null
  }
  report.warning(
    'reuse_goes_on',
    call,
    'A used refresh token is refused, and its session goes on: if a thief was first, the thief stays',
    'End the session when a refresh token comes a second time',
  )
  return tokenIn(last) ?? third
}

function judgeAgain({ report }: Context, again: Answer, third: ReceivedToken): void {
  const token = tokenIn(again)
  if (token === null || token.refreshToken === third.refreshToken) return
  report.warning(
    'reuse_forks',
    again.call,
    'The refresh token used last is answered with another new one: from one session come two',
    'Answer it as before for some ten seconds, or refuse it',
  )
}
