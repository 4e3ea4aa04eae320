import { expect, test } from 'vitest'
import { secondsLeft, transferRate, withSample } from './transfer-rate.ts'

const samples = (...points: [at: number, loaded: number][]) =>
  points.reduce<{ at: number; loaded: number }[]>(
    (all, [at, loaded]) => withSample(all, { at, loaded }),
    [],
  )

test('the rate covers the last five seconds, not the whole upload', () => {
  expect(transferRate(samples([0, 0], [1000, 100], [2000, 200]))).toBe(100)
  expect(transferRate(samples([0, 0], [10_000, 100], [12_000, 4100]))).toBe(2000)
})

test('there is no rate with one sample, after a moment or during a standstill', () => {
  expect(transferRate([])).toBeUndefined()
  expect(transferRate(samples([0, 0]))).toBeUndefined()
  expect(transferRate(samples([0, 0], [100, 5000]))).toBeUndefined()
  expect(transferRate(samples([0, 500], [3000, 500]))).toBeUndefined()
})

test('the time left is never zero while bytes remain', () => {
  expect(secondsLeft(1000, 9999, 10_000)).toBe(1)
  expect(secondsLeft(1000, 0, 10_000)).toBe(10)
})
