import type { RecordedRequest } from './recorder.ts'

// Section 7 of the specification, "Authentication service", in its own words: what a client sends,
// and nothing that a service of ours adds.

interface SpecifiedCall {
  method: 'GET' | 'POST'
  path: string
  /** The names of the query, all of them. */
  query?: readonly string[]
  /** The names of the body, all of them; `as is` is passed on as the page has it. */
  body?: readonly string[] | 'as is'
  isFormEncoded?: boolean
  /** It carries the authorization header. */
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

/** The address that `urls.callback` names is the service's own; the form is the specification's. */
export const callback = (path: string): SpecifiedCall => ({
  method: 'POST',
  path,
  body: ['Provider', 'RedirectUrl', 'Code'],
  isFormEncoded: true,
})

/** The parameters of the address built from `urls.login`. */
export const loginParameters = [
  'client_id',
  'redirect_uri',
  'response_type',
  'scope',
  'nonce',
  'state',
  'prompt',
]

/** What a browser adds by itself to a request of a page. */
const browserHeaders =
  /^(host|connection|content-length|origin|referer|user-agent|accept(-.+)?|sec-.+|cache-control|pragma|dnt|priority|transfer-encoding)$/

/** What is other than the specification says; empty for a request that follows it. */
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
