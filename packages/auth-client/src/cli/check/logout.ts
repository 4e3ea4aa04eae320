import { decodeClaims } from '../../session/token.ts'
import { endsSession, isMissing, isSuccess, nameOf } from './answer.ts'
import type { Browser } from './browser.ts'
import type { Context, ReceivedToken } from './context.ts'
import { postRefresh } from './refresh.ts'

const path = '/api/logout'
export const logoutCall = `POST ${path}`

export const postLogout = (
  browser: Browser,
  realm: string,
  token: ReceivedToken,
  limit?: number,
) => {
  const { provider } = decodeClaims(token.accessToken)
  const named = typeof provider === 'string' && provider !== '' ? provider : realm
  return browser.send({
    method: 'POST',
    path,
    json: { refreshToken: token.refreshToken, provider: named },
    authorization: `Bearer ${token.accessToken}`,
    ...(limit !== undefined && { limit }),
  })
}

/** Signs out twice, and checks that the session has ended. */
export async function judgeLogout(context: Context, token: ReceivedToken): Promise<void> {
  const { browser, report, options } = context
  const call = logoutCall
  const answer = await postLogout(browser, options.realm, token)
  if (isMissing(answer))
    return report.wrong(
      'no_call',
      call,
      `Answered ${answer.status}: there is no such call, and sessions never end`,
      'Add the call',
    )
  if (!isSuccess(answer))
    return report.wrong(
      'logout',
      call,
      `Answered ${nameOf(answer)}, not 2xx`,
      'Answer 204, also without a session: the person has signed out in any case',
    )
  report.fits('logout', call, 'Signs out')
  if (token.refreshToken !== undefined) {
    const after = await postRefresh(context, token)
    if (endsSession(after))
      report.fits('logout_ends', call, 'Ends the session: its refresh token is refused afterwards')
    else
      report.wrong(
        'logout_ends',
        call,
        `The session goes on: its refresh token was answered with ${nameOf(after)} afterwards`,
        'End the session of the refreshToken in the body',
      )
  }
  const twice = await postLogout(browser, options.realm, token)
  if (isSuccess(twice)) return report.fits('logout_twice', call, 'Takes a second sign-out, too')
  report.wrong(
    'logout_twice',
    call,
    `A second sign-out was answered with ${nameOf(twice)}: the client may send one late, or twice`,
    'Answer 204, also without a session and with an access token that has ended',
  )
}
