import type { RecordedRequest } from './recorder.ts'

// Section 7 of the specification, "Authentication service", word for word: what a client sends,
// without our additions.

interface SpecifiedCall {
  method: 'GET' | 'POST'
  path: string
  /** The names of all query parameters. */
  query?: readonly string[]
  /** The names of all body fields; `as is` is passed on unchanged by the page. */
  body?: readonly string[] | 'as is'
  isFormEncoded?: boolean
  /** Whether it carries the authorization header. */
  isAuthorized?: boolean
}

export const specified: readonly SpecifiedCall[] = [
  { method: 'GET', path: '/api/stage/auth' },
  { method: 'POST', path: '/api/token/refresh', body: ['refreshToken', 'provider'] },
  {
    method: 'POST',
    path: '/api/logout',
    body: ['refreshToken', 'provider'],
    isAuthorized: true,
  },
  { method: 'GET', path: '/api/info', query: ['broker', 'provider'] },
  { method: 'GET', path: '/api/info/global', query: ['broker'] },
  { method: 'POST', path: '/api/token/password', body: 'as is' },
  { method: 'POST', path: '/api/signup', body: 'as is' },
  { method: 'POST', path: '/api/send/validateEmail', body: ['email', 'provider'] },
  { method: 'GET', path: '/api/user/exists/email', query: ['email', 'provider'] },
  { method: 'GET', path: '/api/token/anonymous' },
]

/** The path is the service's own, as named by `urls.callback`; the form is the specification's. */
export const callback = (path: string): SpecifiedCall => ({
  method: 'POST',
  path,
  body: ['Provider', 'RedirectUrl', 'Code'],
  isFormEncoded: true,
})

/** The parameters of the URL built from `urls.login`. */
export const loginParameters = [
  'client_id',
  'redirect_uri',
  'response_type',
  'scope',
  'nonce',
  'state',
  'prompt',
]

/** Headers that a browser adds to every request of a page. */
const browserHeaders =
  /^(host|connection|content-length|origin|referer|user-agent|accept(-.+)?|sec-.+|cache-control|pragma|dnt|priority|transfer-encoding)$/

/** Deviations from the specification; empty for a request that follows it. */
export function deviations(request: RecordedRequest, calls: readonly SpecifiedCall[]): string[] {
  const call = calls.find(({ method, path }) => method === request.method && path === request.path)
  if (!call) return ['no call of the specification']
  const found: string[] = []
  const expect = (name: string, actual: unknown, expected: unknown) => {
    const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)]
    if (left !== right) found.push(`${name} is ${left}, not ${right}`)
  }
  const { headers } = request
  expect('api-version', headers['api-version'], '1')
  expect('query', Object.keys(request.query).toSorted(), [...(call.query ?? [])].toSorted())
  if (call.body === undefined) expect('body', request.body, null)
  else {
    if (call.body !== 'as is')
      expect('body', Object.keys(request.body ?? {}).toSorted(), [...call.body].toSorted())
    const type = call.isFormEncoded ? 'application/x-www-form-urlencoded' : 'application/json'
    expect('content-type', headers['content-type']?.split(';')[0], type)
  }
  if (call.isAuthorized !== true) expect('authorization', headers['authorization'], undefined)
  else if (!/^Bearer \S+$/.test(headers['authorization'] ?? ''))
    found.push('authorization is missing')
  const known = ['api-version', 'content-type', 'authorization']
  const others = Object.keys(headers).filter(
    (name) => !known.includes(name) && !browserHeaders.test(name),
  )
  expect('further headers', others, [])
  return found
}
