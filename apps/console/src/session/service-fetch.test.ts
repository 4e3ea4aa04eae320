import { afterEach, expect, test, vi } from 'vitest'

const keys = { keys: [{ kid: 'in the page' }] }
vi.mock('./stage.ts', () => ({ stage: { default: {}, auth_jwks: keys } }))

const { keysAddress, lastRetryAfter, lastStatus, serviceFetch } = await import('./service-fetch.ts')

afterEach(() => vi.unstubAllGlobals())

test('the keys in the page answer the first request for keys, and no other', async () => {
  vi.stubGlobal('location', { href: 'https://console.example/dashboard' })
  const fetched = vi.fn<(address: string) => Promise<Response>>(async () => Response.json({}))
  vi.stubGlobal('fetch', fetched)
  const address = `https://console.example${keysAddress}`
  await serviceFetch('https://console.example/api/token/password')
  expect(await (await serviceFetch(address)).json()).toEqual(keys)
  expect(await (await serviceFetch(address)).json()).toEqual({})
  expect(fetched.mock.calls.map(([each]) => each)).toEqual([
    'https://console.example/api/token/password',
    address,
  ])
})

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
