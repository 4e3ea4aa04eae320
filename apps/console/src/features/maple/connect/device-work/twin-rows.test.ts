import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DeviceTwin } from '@grove/contract/maple/connect/device-twin'
import { isState, mergePatch } from '@grove/contract/maple/base/json-state.rules'
import { patchBetween, twinRows } from './twin-rows.ts'

const twin = (given: Partial<DeviceTwin>): DeviceTwin => ({
  deviceId: 'pump',
  desired: {},
  desiredVersion: 2,
  desiredAt: null,
  desiredBy: null,
  reported: {},
  reportedVersion: 1,
  reportedAt: null,
  desiredProblem: null,
  reportedProblem: null,
  answeredVersion: 2,
  answeredAt: null,
  refused: {},
  difference: [],
  rights: { change: null },
  ...given,
})
const states = (given: Partial<DeviceTwin>) =>
  twinRows(twin(given)).map(({ path, state }) => `${path.join('.')} ${state}`)

test('differences come first, then equal values, then what is not desired', () => {
  const given = {
    desired: { a: 1, b: { c: 2, d: [1] }, e: 'red' },
    reported: { a: 1, b: { c: 3 }, e: 'blue', f: { g: 1 } },
    refused: { e: 'No lamp.' },
  }
  expect(states(given)).toEqual([
    'b.c different',
    'b.d different',
    'e refused',
    'a same',
    'f.g reported',
  ])
  expect(states({ ...given, answeredVersion: 1 }).slice(0, 3)).toEqual([
    'b.c waiting',
    'b.d waiting',
    'e waiting',
  ])
  expect(states({ ...given, answeredVersion: 1, desiredProblem: 'too_long' }).slice(0, 4)).toEqual([
    'b.c unsent',
    'b.d unsent',
    'e unsent',
    'a same',
  ])
  expect(twinRows(twin(given))[2]?.reason).toBe('No lamp.')
})

// Null removes a key, so it is never a value of a state.
const state = fc.letrec<{ value: unknown; state: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.integer(),
    fc.string(),
    fc.array(fc.integer()),
    tie('state'),
  ),
  state: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'constructor'), tie('value')),
})).state

test('a merge patch between two states turns one into the other', () => {
  fc.assert(
    fc.property(state, state, (from, to) => {
      const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>
      const merged = mergePatch(plain(from), patchBetween(plain(from), plain(to)))
      expect(isState(merged)).toBe(true)
      expect(merged).toEqual(plain(to))
    }),
  )
})
