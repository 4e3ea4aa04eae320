import {
  answer,
  at,
  logoutPath,
  passwordPath,
  refreshPath,
  tokens,
  withHeaders,
  page,
  type Row,
} from './row.ts'
import { account, type Fault } from './variation.ts'

const refused = { status: 401, body: { detail: 'No' } }

/** Refresh tokens of a service that does not track them: each stands for the account. */
function forgetful(): Fault {
  let newest = ''
  let count = 0
  return {
    asks(asked) {
      const { refreshToken } = asked.body
      if (asked.path === refreshPath && String(refreshToken).startsWith('any-'))
        asked.body['refreshToken'] = newest
      if (asked.path === logoutPath) asked.body['refreshToken'] = newest
    },
    replies: (reply, asked) =>
      [passwordPath, refreshPath]
        .map((path) =>
          tokens(path, (token) => {
            newest = String(token['refreshToken'])
            return { token: { ...token, refreshToken: `any-${count++}` } }
          })(reply, asked),
        )
        .find((changed) => changed !== undefined),
  }
}

export const sessionFaults: Row[] = [
  {
    name: 'a wrong password that gets 200',
    fault: {
      replies: at(passwordPath, ({ status }) =>
        status === 401 ? { status: 200, body: {} } : undefined,
      ),
    },
    finds: { refusal: 'Answered a wrong password with 200 with an empty object' },
    exit: 1,
  },
  {
    name: 'a wrong password that gets 500',
    fault: {
      replies: at(passwordPath, ({ status }) => (status === 401 ? { status: 500 } : undefined)),
    },
    finds: { refusal: 'Answered a wrong password with 500' },
    exit: 1,
  },
  {
    name: 'any password',
    fault: {
      asks(asked) {
        if (asked.path === passwordPath) Object.assign(asked.body, account)
      },
    },
    finds: { any_password: 'with any password' },
    exit: 1,
  },
  {
    name: 'a refusal that tells who has an account, by its status',
    fault: {
      replies: at(passwordPath, ({ status }, { body }) =>
        status === 401 && body['email'] !== account.email ? { status: 400 } : undefined,
      ),
    },
    finds: { enumeration: 'are refused differently: 400 and 401' },
    exit: 0,
  },
  {
    name: 'a refusal that tells who has an account, by its words',
    fault: {
      replies: at(passwordPath, ({ status }, { body }) =>
        status === 401 && body['email'] !== account.email
          ? { body: { detail: 'There is no such account' } }
          : undefined,
      ),
    },
    finds: { enumeration: 'There is no such account' },
    exit: 0,
  },
  {
    name: 'a refusal without a reason',
    fault: {
      replies: at(passwordPath, ({ status }) => (status === 401 ? { body: '' } : undefined)),
    },
    finds: { refusal_body: '401 with an empty body): people read no reason' },
    exit: 0,
  },
  {
    name: 'a dialog of the browser',
    fault: {
      replies: at(passwordPath, (reply) =>
        reply.status === 401
          ? withHeaders(reply, { 'www-authenticate': 'Basic realm="x"' })
          : undefined,
      ),
    },
    finds: { basic_dialog: 'lets browsers ask for a password in a window of their own' },
    exit: 0,
  },
  {
    name: 'no sign-in',
    fault: { replies: answer(passwordPath, 404, { detail: 'Not found' }) },
    finds: { no_call: 'POST /api/token/password: Answered 404: there is no such call' },
    exit: 1,
  },
  {
    name: 'a web page for a sign-in',
    fault: {
      replies: at(passwordPath, (reply) =>
        reply.status === 200 ? { body: page.body, ...withHeaders(reply, page.headers) } : undefined,
      ),
    },
    finds: { no_token: 'Answered 200 with a web page instead of JSON, without a token' },
    exit: 1,
  },
  {
    name: 'an account that is not let in',
    fault: { replies: at(passwordPath, () => refused) },
    finds: { sign_in_refused: 'Refused ann@grove.test with 401: "No"' },
    exit: 4,
  },
  {
    name: 'no refresh',
    fault: { replies: answer(refreshPath, 404, { detail: 'Not found' }) },
    finds: { no_call: 'POST /api/token/refresh: Answered 404: there is no such call' },
    exit: 1,
  },
  {
    name: 'unknown refresh tokens that get 500',
    fault: {
      replies: at(refreshPath, ({ status }) => (status === 401 ? { status: 500 } : undefined)),
    },
    finds: {
      unknown_taken: 'Answered an unknown refresh token with 500',
      reuse_status: 'A used refresh token is answered with 500',
      logout_ends: 'was answered with 500',
    },
    exit: 1,
  },
  {
    name: 'an empty object for a refresh',
    fault: { replies: answer(refreshPath, 200, {}) },
    finds: {
      unknown_taken: 'asks again for ever',
      no_token: 'POST /api/token/refresh: Answered 200 with an empty object, without a token',
      logout_ends: 'answered with 200 with an empty object',
    },
    exit: 1,
  },
  {
    name: 'a refresh token that it has just given and refuses',
    fault: { replies: at(refreshPath, () => refused) },
    finds: { refresh_refused: 'Answered the refresh token that it had just given with 401' },
    exit: 1,
  },
  {
    name: 'used refresh tokens that are taken again',
    fault: forgetful(),
    finds: { reuse_taken: 'A used refresh token is taken again' },
    exit: 1,
  },
  {
    name: 'refresh tokens that stay the same',
    fault: {
      replies: tokens(refreshPath, (token) => ({ token: { ...token, refreshToken: undefined } })),
    },
    finds: { not_rotated: 'The refresh token stays the same' },
    exit: 0,
  },
  {
    name: 'no refresh token',
    fault: {
      replies: tokens(passwordPath, (token) => ({ token: { ...token, refreshToken: undefined } })),
    },
    finds: { no_refresh_token: 'the session ends with the access token' },
    exit: 0,
  },
  {
    name: 'a refresh that answers another user',
    fault: {
      claims: (all, { path }) => (path === refreshPath ? { ...all, sub: 'somebody-else' } : all),
    },
    finds: { other_user: 'The refreshed token is of another user: somebody-else instead of' },
    exit: 1,
  },
  {
    name: 'a refresh that changes the audience',
    fault: {
      claims: (all, { path }) => ({ ...all, aud: path === refreshPath ? 'account' : 'grove' }),
    },
    finds: { claim_changed: 'The refresh changes aud from "grove" to "account"' },
    exit: 1,
  },
  {
    name: 'a refresh that answers the same access token',
    fault: sameToken(),
    finds: { same_token: 'answers the same access token again' },
    exit: 1,
  },
  {
    name: 'no sign-out',
    fault: { replies: answer(logoutPath, 404, { detail: 'Not found' }) },
    finds: {
      no_call: 'POST /api/logout: Answered 404: there is no such call, and sessions never end',
    },
    exit: 1,
  },
  {
    name: 'a sign-out that fails',
    fault: { replies: answer(logoutPath, 500, { detail: 'Broken' }) },
    finds: { logout: 'Answered 500 with detail, not 2xx' },
    exit: 1,
  },
  {
    name: 'a sign-out that ends nothing',
    fault: {
      asks: ({ path, body }) => {
        if (path === logoutPath) body['refreshToken'] = 'another'
      },
    },
    finds: { logout_ends: 'The session goes on: its refresh token was answered with 200' },
    exit: 1,
  },
  {
    name: 'a second sign-out that is refused',
    fault: { replies: at(logoutPath, (_, { before }) => (before > 0 ? refused : undefined)) },
    finds: { logout_twice: 'A second sign-out was answered with 401' },
    exit: 1,
  },
]

function sameToken(): Fault {
  let kept: unknown
  return {
    replies: (reply, asked) =>
      [passwordPath, refreshPath]
        .map((path) =>
          tokens(path, (token) => {
            kept ??= token['accessToken']
            return { token: { ...token, accessToken: kept } }
          })(reply, asked),
        )
        .find((changed) => changed !== undefined),
  }
}
