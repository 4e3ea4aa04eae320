import { expect, test } from 'vitest'
import { openFairPace } from './fair-pace.ts'

function paceAt(perSecond: number) {
  let now = 0
  const pace = openFairPace(perSecond, () => now)
  return {
    ...pace,
    pass: (ms: number) => (now += ms),
    /** How many of a number of concurrent attempts get a slot. */
    burst(key: string, attempts: number) {
      let taken = 0
      for (let n = 0; n < attempts; n++) if (pace.take(key)) taken++
      return taken
    },
  }
}

test('one that takes all it gets leaves half, and two leave a third', () => {
  const one = paceAt(100)
  expect(one.burst('a', 1000)).toBe(50)
  const two = paceAt(90)
  for (let n = 0; n < 1000; n++) {
    two.take('a')
    two.take('b')
  }
  expect(two.burst('c', 1)).toBe(1)
  let left = 1
  for (let n = 0; n < 1000; n++) if (two.take(`d ${n}`)) left++
  expect(left).toBe(30)
})

test('one that is alone gets nearly all free places', () => {
  const pace = paceAt(100)
  let taken = 0
  for (let at = 0; at < 10_000; at += 10) {
    taken += pace.burst('a', 10)
    pace.pass(10)
  }
  expect(taken).toBeGreaterThan(900)
})

test('a place that is given back is not used', () => {
  const pace = paceAt(2)
  for (let n = 0; n < 100; n++) {
    expect(pace.take('a')).toBe(true)
    pace.giveBack('a')
  }
})

test('a newcomer finds a place while twenty others take all they get', () => {
  const pace = paceAt(100)
  for (let at = 0; at < 5000; at += 5) {
    for (let n = 0; n < 20; n++) pace.burst(`flood ${n}`, 20)
    // They started at the same time, and took what there was.
    if (at > 2000 && at % 50 === 0) expect(pace.take(`device ${at}`)).toBe(true)
    pace.pass(5)
  }
})
