import { beforeEach, expect, test, vi } from 'vitest'

let userId = 'anna'
const sent = vi.fn<(address: string, init: object) => Promise<Response>>()
vi.mock('./auth.ts', () => ({
  auth: {
    getState: () => ({ status: 'signedIn', session: { userId } }),
    fetch: (address: string, init: object) => sent(address, init),
  },
}))

const { isFirstAnswerHere, sendFirstCall, takeFirstAnswer } = await import('./first-call.ts')

const address = '/api/maple/device?limit=50'
const get = { method: 'GET' }

beforeEach(() => {
  userId = 'anna'
  sent.mockReset().mockImplementation(async () => Response.json({ items: [] }))
  sendFirstCall(address, '3')
})

test('the first call is sent like the page’s own, and answers it once', async () => {
  expect(sent.mock.calls).toEqual([
    [address, { headers: { accept: 'application/json' }, apiVersion: '3' }],
  ])
  expect(await takeFirstAnswer('/api/maple/device?limit=25', get)).toBeUndefined()
  expect(await takeFirstAnswer(address, { method: 'POST' })).toBeUndefined()
  await expect.poll(isFirstAnswerHere).toBe(true)
  const answer = await takeFirstAnswer(address, get)
  expect(isFirstAnswerHere()).toBe(false)
  expect(await answer?.json()).toEqual({ items: [] })
  expect(await takeFirstAnswer(address, get)).toBeUndefined()
})

test('it counts as answered once all of the answer has arrived', async () => {
  const body = new TransformStream<Uint8Array, Uint8Array>()
  sent.mockResolvedValue(new Response(body.readable))
  sendFirstCall(address, '3')
  // Longer than reading an answer takes.
  await new Promise((resolve) => setImmediate(resolve))
  expect(isFirstAnswerHere()).toBe(false)
  await body.writable.close()
  await expect.poll(isFirstAnswerHere).toBe(true)
})

test('the page receives its failure', async () => {
  sent.mockRejectedValue(new TypeError('Failed to fetch'))
  sendFirstCall(address, '3')
  await expect(takeFirstAnswer(address, get)).rejects.toThrow('Failed to fetch')
  expect(await takeFirstAnswer(address, get)).toBeUndefined()
})

test('only the person it was sent for gets the answer', async () => {
  userId = 'boris'
  expect(await takeFirstAnswer(address, get)).toBeUndefined()
})

test('a stale answer is not used', async () => {
  vi.useFakeTimers({ now: Date.now() + 31_000 })
  expect(await takeFirstAnswer(address, get)).toBeUndefined()
  vi.useRealTimers()
})
