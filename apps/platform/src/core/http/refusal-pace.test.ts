import { expect, test } from 'vitest'
import { refusalPace } from './refusal-pace.ts'

/** The delays of a number of refusals at one moment of the test's clock. */
function paced() {
  let time = 1_000_000
  const wait = refusalPace(() => time)
  return {
    refuse: (ip: string, times: number) => Array.from({ length: times }, () => wait(ip)),
    pass: (ms: number) => (time += ms),
  }
}

test('a few refusals are answered immediately, a flood of them later and later, up to five seconds', () => {
  const { refuse } = paced()
  expect(refuse('a', 200)).toEqual(Array(200).fill(0))
  expect(refuse('a', 2)).toEqual([10, 20])
  expect(refuse('a', 5000).at(-1)).toBe(5000)
})

test('another caller who is occasionally refused does not wait meanwhile', () => {
  const { refuse } = paced()
  refuse('a', 5000)
  expect(refuse('b', 20)).toEqual(Array(20).fill(0))
  expect(refuse('b', 1)).toEqual([5000])
})

test('many addresses together are slowed down like one', () => {
  const { refuse } = paced()
  for (let index = 0; index < 100; index += 1) refuse(`${index}`, 30)
  expect(refuse('0', 1)).toEqual([5000])
})

test('after a flood the pace recovers within seconds', () => {
  const { refuse, pass } = paced()
  refuse('a', 100_000)
  pass(8000)
  expect(refuse('a', 20)).toEqual(Array(20).fill(0))
})
