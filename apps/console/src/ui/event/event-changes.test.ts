import { expect, test } from 'vitest'
import { changesOf } from './event-changes.ts'

test('only differing values are changes, each with its path', () => {
  const before = { name: 'Gate', state: 'pending', elements: [{ cplc: 'A' }], revision: 1 }
  const after = { name: 'Gate', state: 'accepted', elements: [], revision: 2 }
  expect(changesOf(before, after)).toEqual([
    { path: 'state', before: 'pending', after: 'accepted' },
    { path: 'elements.0.cplc', before: 'A', after: undefined },
    { path: 'revision', before: '1', after: '2' },
  ])
})

test('a creation lists every value as new, a deletion as old', () => {
  expect(changesOf(null, { name: 'Gate', isLive: false })).toEqual([
    { path: 'name', before: undefined, after: 'Gate' },
    { path: 'isLive', before: undefined, after: 'false' },
  ])
  expect(changesOf({ name: 'Gate' }, null)).toEqual([
    { path: 'name', before: 'Gate', after: undefined },
  ])
})

test('a text that becomes null, and a value replaced by an object, are changes', () => {
  expect(changesOf({ name: 'A' }, { name: null })).toEqual([
    { path: 'name', before: 'A', after: 'null' },
  ])
  expect(changesOf('draft', 'live')).toEqual([{ path: '', before: 'draft', after: 'live' }])
  expect(changesOf(null, null)).toEqual([])
})
