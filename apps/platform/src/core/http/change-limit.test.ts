import { expect, test } from 'vitest'
import type { AccessToken } from './access.ts'
import { changeLimit } from './change-limit.ts'

const token = (userId: string) => ({ userId }) as AccessToken

test('an account can make a minute’s worth of changes at once and then at a steady pace, independently of others', () => {
  let now = 1_000_000
  const count = changeLimit(60, () => now)
  for (let n = 0; n < 60; n += 1) count(token('anna'))
  expect(() => count(token('anna'))).toThrow(
    expect.objectContaining({ code: 'too_many_changes', retryAfter: 1 }),
  )
  count(token('ben'))
  now += 1000
  count(token('anna'))
  expect(() => count(token('anna'))).toThrow('60 changes per minute')
})

test('setting the clock back locks nobody out for longer than a minute', () => {
  let now = 10_000_000
  const count = changeLimit(60, () => now)
  for (let n = 0; n < 60; n += 1) count(token('anna'))
  now = 1_000_000
  expect(() => count(token('anna'))).toThrow(expect.objectContaining({ retryAfter: 1 }))
  now += 2000
  count(token('anna'))
})

test('0 removes the limit', () => {
  const count = changeLimit(0, () => 0)
  for (let n = 0; n < 5000; n += 1) count(token('anna'))
})
