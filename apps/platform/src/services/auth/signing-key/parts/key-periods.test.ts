import { array, assert, integer, property } from 'fast-check'
import { expect, test } from 'vitest'
import { accessTokenSeconds } from '../../../../core/http/access-token-lifetime.ts'
import { nextStart, publishedBefore, retiredCount, signerIndex } from './key-periods.ts'

test('point 19: however long the pauses, a key signs only after a day in public and its tokens outlive none', () => {
  const hours = integer({ min: 1, max: 24 * 90 })
  assert(
    property(array(hours, { maxLength: 60 }), (pauses) => {
      let now = 1_750_000_000_000
      let starts: number[] = []
      const publishedAt = new Map<number, number>()
      let lastSigned: { start: number; at: number } | undefined
      for (const pause of [0, ...pauses]) {
        now += pause * 3_600_000
        const retired = starts.slice(0, retiredCount(starts, now))
        if (lastSigned && now <= lastSigned.at + accessTokenSeconds * 1000)
          expect(retired).not.toContain(lastSigned.start)
        starts = starts.slice(retired.length)
        const next = nextStart(starts, now)
        if (next !== null) {
          starts.push(next)
          publishedAt.set(next, now)
        }
        const signer = starts[signerIndex(starts, now)] ?? Number.NaN
        const isFirst = publishedAt.keys().next().value === signer
        if (!isFirst)
          expect(now - (publishedAt.get(signer) ?? now)).toBeGreaterThanOrEqual(publishedBefore)
        lastSigned = { start: signer, at: now }
        expect(starts.length).toBeLessThanOrEqual(3)
      }
    }),
  )
})
