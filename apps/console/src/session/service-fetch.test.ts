import { afterEach, expect, test, vi } from 'vitest'
import { lastRetryAfter, lastStatus, serviceFetch } from './service-fetch.ts'

afterEach(() => vi.unstubAllGlobals())

test('the wait of one refusal is not told with the next', async () => {
  const answers = [
    new Response(null, { status: 429, headers: { 'retry-after': '60' } }),
    new Response(null, { status: 503 }),
  ]
  vi.stubGlobal('fetch', async () => answers.shift())
  await serviceFetch('/api/token/password')
  expect(lastRetryAfter()).toBe(60)
  await serviceFetch('/api/token/password')
  expect([lastStatus(), lastRetryAfter()]).toEqual([503, undefined])
})
