import { expect, onTestFinished, test, vi } from 'vitest'
import { openAsyncStorage } from '../src/async-storage.ts'
import { credentials, setUp } from './fixtures.ts'

/** A storage that responds after a turn of the event loop, or refuses. */
function slowStorage(held: Record<string, string> = {}) {
  const later = async <T>(work: () => T) => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    return work()
  }
  return {
    held,
    getItem: vi.fn((key: string) => later(() => held[key] ?? null)),
    setItem: vi.fn((key: string, value: string) => later(() => void (held[key] = value))),
    removeItem: vi.fn((key: string) => later(() => void delete held[key])),
  }
}

test('a session is restored when the application restarts, and gone after a sign-out', async () => {
  const device = slowStorage()
  const storage = await openAsyncStorage(device)
  const { connect } = await setUp()
  const client = connect({ storage })
  await client.signIn(credentials)
  expect(client.getState().status).toBe('signedIn')
  await storage.written()

  const later = await openAsyncStorage(slowStorage({ ...device.held }))
  expect(connect({ storage: later }).getState()).toMatchObject({ status: 'signedIn' })

  await client.signOut()
  await storage.written()
  expect(device.held).toEqual({})
})

test('a window without events, as in React Native, is enough', async () => {
  vi.stubGlobal('window', globalThis)
  onTestFinished(() => void vi.unstubAllGlobals())
  expect('addEventListener' in window).toBe(false)
  const storage = await openAsyncStorage(slowStorage())
  const { connect } = await setUp()
  const client = connect({ storage })
  expect(await client.signIn(credentials)).toBe(true)
})

test('changes are written one after another, and the last state stays', async () => {
  const device = slowStorage()
  const storage = await openAsyncStorage(device, { key: 'mine' })
  storage.setItem('a', '1')
  storage.setItem('b', '1')
  const first = storage.written()
  await first
  storage.setItem('a', '2')
  storage.removeItem('b')
  storage.removeItem('never there')
  await storage.written()
  expect(device.held).toEqual({ mine: '[["a","2"]]' })
  expect(device.setItem).toHaveBeenCalledTimes(2)
})

test('a refused write is reported, and the next one is tried', async () => {
  const device = slowStorage()
  const onError = vi.fn()
  device.setItem.mockRejectedValueOnce(new Error('full'))
  const storage = await openAsyncStorage(device, { onError })
  storage.setItem('a', '1')
  await storage.written()
  expect(onError).toHaveBeenCalledWith(new Error('full'))
  expect(storage.getItem('a')).toBe('1')
  storage.setItem('a', '2')
  await storage.written()
  expect(device.held).toEqual({ 'grove.auth': '[["a","2"]]' })
})

test.each(['{', '{"a":1}', '[["a",1]]', '[1]', 'null'])(
  'foreign contents of the storage, %s, are ignored',
  async (text) => {
    const storage = await openAsyncStorage(slowStorage({ 'grove.auth': text }))
    expect(storage.getItem('a')).toBeNull()
  },
)
