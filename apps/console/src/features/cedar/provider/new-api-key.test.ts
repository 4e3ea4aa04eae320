import { isStrongApiKey } from '@grove/contract/cedar/moby-api.rules'
import { expect, test } from 'vitest'
import { newApiKey } from './new-api-key.ts'

test('a new key is one that the service accepts, and always a different one', () => {
  const keys = Array.from({ length: 200 }, newApiKey)
  expect(keys.every((key) => isStrongApiKey(key) && /^[\w-]{43}$/.test(key))).toBe(true)
  expect(new Set(keys).size).toBe(200)
})
