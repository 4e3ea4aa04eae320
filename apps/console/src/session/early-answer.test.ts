import { afterEach, expect, test, vi } from 'vitest'

const keys = 'https://id.example/certs'
vi.mock('./stage.ts', () => ({ stage: { default: { auth_jwks_url: 'https://id.example/certs' } } }))

const { serviceFetch } = await import('./service-fetch.ts')

afterEach(() => {
  vi.unstubAllGlobals()
  globalThis.groveEarly = undefined
})

test.each([
  ['the keys of another origin', keys, keys],
  ['a path of the page’s own', 'https://console.example/api/stage/auth', '/api/stage/auth'],
])('an answer already on its way is taken over once: %s', async (_, address, asked) => {
  vi.stubGlobal('location', { href: 'https://console.example/dashboard' })
  const fetched = vi.fn<(address: string) => Promise<Response>>(async () => Response.json('later'))
  vi.stubGlobal('fetch', fetched)
  globalThis.groveEarly = { address, answer: Promise.resolve(Response.json('early')) }
  expect(await (await serviceFetch('https://console.example/api/other')).json()).toBe('later')
  expect(await (await serviceFetch(asked)).json()).toBe('early')
  expect(await (await serviceFetch(asked)).json()).toBe('later')
  expect(fetched).toHaveBeenCalledTimes(2)
})

test('an early answer that failed is asked for again', async () => {
  vi.stubGlobal('location', { href: 'https://console.example/dashboard' })
  vi.stubGlobal('fetch', async () => Response.json('again'))
  const answer = Promise.resolve(new Response('', { status: 503 }))
  globalThis.groveEarly = { address: keys, answer }
  expect(await (await serviceFetch(keys)).json()).toBe('again')
})
