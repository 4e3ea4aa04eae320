import { expect, test } from 'vitest'
import { createLog, readLines } from './preview-log.ts'

const line = (text: string, level: 'log' | 'error' = 'log') => ({ level, text })

test('whatever a frame sends becomes text of limited size, or nothing', () => {
  const circle: Record<string, unknown> = { level: 'log' }
  circle['text'] = circle
  expect(
    readLines([
      null,
      7,
      'text',
      circle,
      { level: 'fatal', text: 'x' },
      { level: 'log', text: { toString: () => 'x' } },
      { level: 'error', text: 'x'.repeat(5000) },
    ]),
  ).toEqual([{ level: 'error', text: 'x'.repeat(2000) }])
  expect(readLines({ length: 5 })).toEqual([])
  expect(readLines(Array.from({ length: 1000 }, () => line('a')))).toHaveLength(200)
})

test('repeated lines are merged, and only the latest lines are kept', () => {
  let now = 0
  const log = createLog(() => now)
  log.add([line('a'), line('a'), line('a', 'error')], 0)
  expect(log.current().lines).toMatchObject([
    { text: 'a', level: 'log', count: 2 },
    { text: 'a', level: 'error', count: 1 },
  ])
  for (let at = 0; at < 500; at += 1) {
    now += 1000
    log.add([line(String(at))], 0)
  }
  expect(log.current().lines).toHaveLength(300)
  expect(log.current().lines.at(-1)?.text).toBe('499')
})

test('lines beyond the maximum per second are counted', () => {
  let now = 0
  const log = createLog(() => now)
  for (let batch = 0; batch < 5; batch += 1)
    log.add(
      Array.from({ length: 100 }, (_, at) => line(`${batch} ${at}`)),
      10,
    )
  expect(log.current()).toMatchObject({ dropped: 350 })
  expect(log.current().lines).toHaveLength(200)
  now = 1000
  log.add([line('after')], 0)
  expect(log.current().lines.at(-1)?.text).toBe('after')
  log.clear()
  expect(log.current()).toEqual({ lines: [], dropped: 0 })
})
