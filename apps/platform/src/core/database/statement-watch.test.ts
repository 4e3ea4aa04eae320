import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { simpleQuery } from './frontend-messages.ts'
import { watchStatements } from './statement-watch.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const endless = simpleQuery('select endless()')

function watch() {
  const onTooLong = vi.fn()
  return { onTooLong, statements: watchStatements(1000, onTooLong) }
}

test('a statement is cancelled at the limit, but not one that was answered', () => {
  const { statements, onTooLong } = watch()
  statements.sent(endless)
  vi.advanceTimersByTime(999)
  statements.replied()
  vi.advanceTimersByTime(10_000)
  expect(onTooLong).not.toHaveBeenCalled()
  statements.sent(endless)
  vi.advanceTimersByTime(1000)
  expect(onTooLong).toHaveBeenCalledOnce()
})

test('work that turned the limit off takes as long as it needs, until it turns it on again', () => {
  const { statements, onTooLong } = watch()
  for (const text of ['set statement_timeout = 0', 'select endless()']) {
    statements.sent(simpleQuery(text))
    vi.advanceTimersByTime(900)
    statements.replied()
  }
  statements.sent(endless)
  vi.advanceTimersByTime(60_000)
  statements.replied()
  expect(onTooLong).not.toHaveBeenCalled()
  statements.sent(simpleQuery('reset statement_timeout'))
  statements.replied()
  statements.sent(endless)
  vi.advanceTimersByTime(1000)
  expect(onTooLong).toHaveBeenCalledOnce()
})

test('a parameter that reads like the command turns nothing off', () => {
  const { statements, onTooLong } = watch()
  statements.sent(
    Buffer.concat([Buffer.from('B\0\0\0.'), Buffer.from('set statement_timeout = 0')]),
  )
  vi.advanceTimersByTime(1000)
  expect(onTooLong).toHaveBeenCalledOnce()
})
