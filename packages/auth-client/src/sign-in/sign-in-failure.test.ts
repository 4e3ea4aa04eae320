import { expect, test } from 'vitest'
import { AuthError } from '../http/auth-error.ts'
import { OidcError } from '../oidc/oidc-error.ts'
import { ExternalLoginError } from './external-login-error.ts'
import { signInFailure } from './sign-in-failure.ts'

const answer = (status: number, body: unknown) => new AuthError('Request failed', { status, body })

test.each([
  ['no answer', new AuthError('Network Error', {}), 'silent', 'Network Error'],
  ['503', answer(503, 'Bad gateway'), 'silent', 'Request failed'],
  ['429', answer(429, ''), 'silent', 'Request failed'],
  ['an error of the server', answer(400, { error: 'server_error' }), 'silent', 'server_error'],
  ['OidcError', new OidcError('`issuer` is wrong'), 'misconfigured', '`issuer` is wrong'],
  ['404', answer(404, '<html>'), 'misconfigured', 'Request failed'],
  [
    'a client that is unknown',
    answer(401, { error: 'invalid_client', error_description: 'Unknown client' }),
    'misconfigured',
    'invalid_client: Unknown client',
  ],
  [
    'a redirect with invalid_scope',
    new ExternalLoginError('provider_refused', null, 'invalid_scope', 'No such scope'),
    'misconfigured',
    'invalid_scope: No such scope',
  ],
  [
    'a redirect with access_denied',
    new ExternalLoginError('provider_refused', null, 'access_denied'),
    'refused',
    'access_denied',
  ],
  ['invalid_grant', answer(400, { error: 'invalid_grant' }), 'refused', 'invalid_grant'],
  ['state_unknown', new ExternalLoginError('state_unknown'), 'refused', 'state_unknown'],
  [
    'a problem of Grove',
    { code: 'wrong_credentials', detail: 'No' },
    'refused',
    'wrong_credentials: No',
  ],
  ['anything else', 'broken', 'refused', 'broken'],
])('%s is %3$s', (_, error, kind, detail) => {
  expect(signInFailure(error)).toMatchObject({ kind, detail })
})

test('people see the service’s own description, otherwise a sentence', () => {
  const refused = (description?: string) =>
    signInFailure(new ExternalLoginError('provider_refused', null, 'access_denied', description))
      .text
  expect(refused('Ask your <b>manager</b>')).toBe('Ask your <b>manager</b>')
  expect(refused()).toBe('The sign-in was refused.')
  expect(signInFailure(new ExternalLoginError('nonce_mismatch')).text).toContain('Start again')
})
