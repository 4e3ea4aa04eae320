import { afterEach, expect, test, vi } from 'vitest'

const keys = { keys: [{ kid: 'in the page' }] }
vi.mock('./stage.ts', () => ({ stage: { default: {}, auth_jwks: keys } }))

const { keysAddress, serviceFetch } = await import('./service-fetch.ts')

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
