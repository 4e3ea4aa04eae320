import { problemCodes } from '@grove/contract/problem-codes'
import { setupI18n } from '@lingui/core'
import { expect, test } from 'vitest'
import { fieldText, problemText } from './problem-text.ts'
import { ApiProblem, NetworkProblem, parseProblem, retrySeconds } from './problem.ts'

const i18n = setupI18n({ locale: 'en-US', messages: { 'en-US': {} } })
const text = (body: { code?: string; detail?: string }, status: number, retryAfter?: number) =>
  problemText(new ApiProblem(body, status, retryAfter), i18n)

test('a known code has the console’s own text', () => {
  expect(text({ code: 'wrong_credentials', detail: 'Nope' }, 401)).toBe(
    'The email or the password is wrong. Check both and try again.',
  )
})

test('an unknown code shows its detail', () => {
  expect(text({ code: 'moon_phase', detail: 'The moon is full.' }, 409)).toBe('The moon is full.')
})

test('a failure that says nothing shows what its status means', () => {
  expect(text({}, 502)).toMatch(/service is not responding correctly/)
  expect(text({}, 400)).toBe('The service refused this request.')
})

test('too many attempts state the time to wait', () => {
  expect(text({ code: 'too_many_attempts' }, 429, 1)).toMatch(/in 1 second\./)
  expect(text({ code: 'too_many_attempts' }, 429, 90)).toMatch(/in 2 minutes\./)
  expect(text({}, 429, 30)).toMatch(/in 30 seconds\./)
  expect(text({}, 429)).toMatch(/a few minutes/)
})

test('an unreachable service and a fault of the page have different texts', () => {
  expect(problemText(new NetworkProblem(new TypeError()), i18n)).toMatch(/cannot be reached/)
  expect(problemText(new TypeError('x is undefined'), i18n)).toMatch(/on this page/)
})

test('a field shows the limit in its params, and no number from its message', () => {
  const field = { path: 'name', code: 'maxLength', message: 'must have at most 100 characters' }
  expect(fieldText({ ...field, params: { limit: 30 } }, i18n)).toBe('At most 30 characters.')
  expect(fieldText(field, i18n)).toBe('This is too long.')
  const empty = { path: 'name', code: 'minLength', message: 'must have at least 1 character(s)' }
  expect(fieldText({ ...empty, params: { limit: 1 } }, i18n)).toBe('Enter a value.')
  expect(fieldText({ ...empty, params: { limit: 8 } }, i18n)).toBe('At least 8 characters.')
})

test('the params of a field are kept, whatever the service sends', () => {
  const field = { path: 'name', code: 'maxLength', message: 'too long' }
  const errors = [{ ...field, params: { limit: 30, odd: {} } }, { ...field, params: 'x' }, 'y']
  expect(parseProblem(JSON.stringify({ errors }), 400).fields).toEqual([
    { ...field, params: { limit: 30 } },
    field,
  ])
})

test.each<[string, string]>([
  ['problem details', '{"detail":"It is closed."}'],
  ['a message', '{"message":"It is closed."}'],
  ['the words of OAuth', '{"error":"invalid_request","error_description":"It is closed."}'],
  ['plain text', 'It is closed.\n'],
])('the words of a foreign service are shown: %s', (_, body) => {
  expect(problemText(parseProblem(body, 409), i18n)).toBe('It is closed.')
})

test.each(['<h1>Bad gateway</h1>', '{}', '', 'x'.repeat(501)])(
  'what is not for a reader is not shown: %.20j',
  (body) => {
    expect(problemText(parseProblem(body, 409), i18n)).toBe('The service refused this request.')
  },
)

test('every problem code has a text once the dashboard is loaded', async () => {
  await import('../shell/problem-texts.ts')
  // For some codes the service's own English sentence is shown.
  const russian = setupI18n({ locale: 'ru-RU', messages: { 'ru-RU': {} } })
  // The console never makes the calls of host apps.
  const ofHostApps = ['link_removed', 'provider_disabled', 'app_not_live']
  for (const code of Object.keys(problemCodes).filter((each) => !ofHostApps.includes(each))) {
    const problem = new ApiProblem({ code, detail: 'the detail' }, 400)
    expect(problemText(problem, russian), code).not.toBe('the detail')
  }
})

test('Retry-After is seconds or a date', () => {
  expect(retrySeconds('120')).toBe(120)
  expect(retrySeconds('Sat, 21 Nov 2026 10:00:30 GMT', Date.UTC(2026, 10, 21, 10))).toBe(30)
  expect(retrySeconds('soon')).toBeUndefined()
  expect(retrySeconds(null)).toBeUndefined()
})

test('an invalid name says what to remove', () => {
  const field = { path: 'name', code: 'format', message: 'x', params: { format: 'name' } }
  expect(fieldText(field, i18n)).toMatch(/^Remove the invisible characters/)
  expect(fieldText({ ...field, params: { format: 'uuid' } }, i18n)).toMatch(/format is not valid/)
})
