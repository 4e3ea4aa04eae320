import { AuthError } from '@grove/auth-client'
import { expect, test } from 'vitest'
import { troubleOf } from './auth-trouble.ts'

const named = (name: string, message = '') => Object.assign(new Error(message), { name })

test.each([
  ['nothing was said', undefined, { kind: 'silent' }],
  ['no answer', new AuthError('Network Error', {}), { kind: 'silent' }],
  ['no answer in time', named('TimeoutError'), { kind: 'silent' }],
  ['keys that this page may not read', new TypeError('Failed to fetch'), { kind: 'silent' }],
  ['503', new AuthError('', { status: 503 }), { kind: 'failing', status: 503 }],
  ['too many requests', new AuthError('', { status: 429 }), { kind: 'failing', status: 429 }],
  [
    'keys behind a broken proxy',
    new Error('The keys were answered with 502'),
    { kind: 'failing', status: 502 },
  ],
  ['a new key', named('OtherKey'), { kind: 'newKey' }],
  [
    'keys at another address',
    new Error('The keys were answered with 404'),
    { kind: 'misconfigured', reason: 'The keys were answered with 404' },
  ],
  [
    'a token without an end',
    new Error('The token has no end'),
    { kind: 'misconfigured', reason: 'The token has no end' },
  ],
])('%s', (_, error, trouble) => {
  expect(troubleOf(error)).toEqual(trouble)
})
