import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { countedLines } from './counted-lines.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function lines(most?: number) {
  const written: object[] = []
  const write = (fields: object) => written.push(fields)
  return { written, ...countedLines({ write, ...(most !== undefined && { most }) }) }
}

test('a repeated line is written immediately, then once a minute with its count', () => {
  const { written, note } = lines()
  for (let times = 0; times < 1000; times++) note({ ip: '192.0.2.1', reason: 'wrong' })
  note({ ip: '192.0.2.2', reason: 'wrong' })
  expect(written).toEqual([
    { ip: '192.0.2.1', reason: 'wrong', count: 1 },
    { ip: '192.0.2.2', reason: 'wrong', count: 1 },
  ])
  vi.advanceTimersByTime(60_000)
  expect(written.slice(2)).toEqual([{ ip: '192.0.2.1', reason: 'wrong', count: 999 }])
  note({ ip: '192.0.2.1', reason: 'wrong' })
  vi.advanceTimersByTime(60_000)
  expect(written.slice(3)).toEqual([{ ip: '192.0.2.1', reason: 'wrong', count: 1 }])
  // After a quiet minute it counts as new.
  vi.advanceTimersByTime(60_000)
  note({ ip: '192.0.2.1', reason: 'wrong' })
  expect(written).toHaveLength(5)
})

test('a flood of different lines is counted together, and the count is written at the end', () => {
  const { written, note, close } = lines(3)
  for (let device = 0; device < 10; device++) note({ device })
  note({ device: 0 })
  expect(written).toHaveLength(3)
  close()
  expect(written.slice(3)).toMatchObject([{ device: 0, count: 1 }, { count: 7 }])
  vi.advanceTimersByTime(60_000)
  expect(written).toHaveLength(5)
})
