import { expect, test } from 'vitest'
import { conflictsOf, keptChanges, takenBack } from './kept-changes.ts'

const device = {
  name: 'Gate',
  type: 'iot' as const,
  state: 'pending' as const,
  innerId: null,
  serviceId: null,
  productId: null,
  tags: ['odd'],
  attributes: { floor: { type: 'number' as const, value: 3 } },
  elements: [],
}
const accepted = { ...device, state: 'accepted' as const, tags: ['north', 'odd'] }

test('a change stores only what it changed, each tag and attribute separately', () => {
  const next = { ...accepted, attributes: { site: { type: 'text' as const, value: 'Hall' } } }
  expect(keptChanges(device, next)).toEqual({
    state: ['pending', 'accepted'],
    'tags.north': [null, true],
    'attributes.floor': [{ type: 'number', value: 3 }, null],
    'attributes.site': [null, { type: 'text', value: 'Hall' }],
  })
})

test('other values stay unchanged when a change is reverted', () => {
  const now = { ...accepted, name: 'Renamed', tags: ['north', 'odd', 'red'] }
  const changes = keptChanges(device, accepted)
  expect(conflictsOf(now, changes)).toEqual([])
  expect(takenBack(now, changes)).toEqual({ ...device, name: 'Renamed', tags: ['odd', 'red'] })
})

test('a device that went online is still accepted', () => {
  const changes = keptChanges(device, accepted)
  expect(conflictsOf({ ...accepted, state: 'online' }, changes)).toEqual([])
  expect(takenBack({ ...accepted, state: 'online' }, changes)).toMatchObject({ state: 'pending' })
})

test('a value that is neither the old nor the new one is a conflict', () => {
  const changes = keptChanges(device, accepted)
  expect(conflictsOf({ ...accepted, state: 'quarantined' }, changes)).toEqual([
    { field: 'state', left: 'accepted', now: 'quarantined' },
  ])
  expect(takenBack(device, changes)).toBeUndefined()
})

test('a retired device stays retired', () => {
  const changes = keptChanges(device, accepted)
  expect(() => takenBack({ ...accepted, state: 'retired' }, changes)).toThrow(
    expect.objectContaining({ code: 'transition_refused' }),
  )
})
