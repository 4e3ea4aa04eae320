import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const keys = { keys: [{ kid: 'in the page' }] }
vi.mock('./stage.ts', () => ({ stage: { default: {}, auth_jwks: keys } }))

const { keysAddress, serviceFetch } = await import('./service-fetch.ts')

const fetched = vi.fn<(address: string) => Promise<Response>>()

beforeEach(() => {
  vi.stubGlobal('location', { href: 'https://console.example/dashboard' })
  vi.stubGlobal('fetch', fetched)
  fetched.mockReset().mockImplementation(async () => Response.json('fetched'))
})
afterEach(() => {
  vi.unstubAllGlobals()
  globalThis.groveEarly = undefined
})

test('the keys in the page answer the first request for keys, and no others', async () => {
  const address = `https://console.example${keysAddress}`
  await serviceFetch('https://console.example/api/token/password')
  expect(await (await serviceFetch(address)).json()).toEqual(keys)
  expect(await (await serviceFetch(address)).json()).toBe('fetched')
  expect(fetched.mock.calls.map(([each]) => each)).toEqual([
    'https://console.example/api/token/password',
    address,
  ])
})

const foreignKeys = 'https://id.example/certs'

test.each([
  ['the keys of another origin', foreignKeys, foreignKeys],
  ['a path of the page’s own', 'https://console.example/api/stage/auth', '/api/stage/auth'],
])('an answer already on its way is used once: %s', async (_, address, asked) => {
  globalThis.groveEarly = { address, answer: Promise.resolve(Response.json('early')) }
  expect(await (await serviceFetch('https://console.example/api/other')).json()).toBe('fetched')
  expect(await (await serviceFetch(asked)).json()).toBe('early')
  expect(await (await serviceFetch(asked)).json()).toBe('fetched')
  expect(fetched).toHaveBeenCalledTimes(2)
})

test('an early call that failed is repeated', async () => {
  const answer = Promise.resolve(new Response('', { status: 503 }))
  globalThis.groveEarly = { address: foreignKeys, answer }
  expect(await (await serviceFetch(foreignKeys)).json()).toBe('fetched')
})
