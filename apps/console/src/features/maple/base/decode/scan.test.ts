import { expect, test } from 'vitest'
import { firstCode, type Detector } from './scan.ts'

const video = {} as HTMLVideoElement
const detectorOf = (looks: (string[] | Error)[]): Detector => ({
  detect: () => {
    const look = looks.shift()
    return look instanceof Error
      ? Promise.reject(look)
      : Promise.resolve((look ?? []).map((rawValue) => ({ rawValue })))
  },
})
const atOnce = () => Promise.resolve()

test('returns the first code with text, skipping frames that cannot be read', async () => {
  const detector = detectorOf([new Error('no frame'), [], [''], ['9F7F2A', '00'], ['later']])
  const { signal } = new AbortController()
  expect(await firstCode(detector, video, signal, atOnce)).toBe('9F7F2A')
})

test('stops when it is no longer needed', async () => {
  const stop = new AbortController()
  let looks = 0
  const waits = () => {
    if (++looks === 3) stop.abort()
    return Promise.resolve()
  }
  expect(await firstCode(detectorOf([]), video, stop.signal, waits)).toBeUndefined()
  expect(looks).toBe(3)
})

test('drops a code that is read after it was stopped', async () => {
  const stop = new AbortController()
  const detector: Detector = {
    detect: () => {
      stop.abort()
      return Promise.resolve([{ rawValue: '9F7F' }])
    },
  }
  expect(await firstCode(detector, video, stop.signal, atOnce)).toBeUndefined()
})
