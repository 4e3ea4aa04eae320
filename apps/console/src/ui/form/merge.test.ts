import { expect, test } from 'vitest'
import { merge, withValueOf } from './merge.ts'

const base = { name: 'Gate', state: 'pending', tags: ['a'], en: { title: 'Bus', news: '' } }

test('fields that one side changed come from that side', () => {
  const theirs = { ...base, state: 'accepted', en: { title: 'Coach', news: '' } }
  const mine = { ...base, name: 'Door', en: { title: 'Bus', news: 'Faster' } }
  expect(merge(base, theirs, mine)).toEqual({
    values: {
      name: 'Door',
      state: 'accepted',
      tags: ['a'],
      en: { title: 'Coach', news: 'Faster' },
    },
    conflicts: [],
  })
})

test('the same change on both sides is not a conflict', () => {
  const changed = { ...base, name: 'Door' }
  expect(merge(base, changed, changed)).toEqual({ values: changed, conflicts: [] })
})

test('a field that both sides changed is a conflict, and the others merge', () => {
  const theirs = { ...base, name: 'Hatch', state: 'accepted', en: { title: 'Coach', news: '' } }
  const mine = { ...base, name: 'Door', en: { title: 'Tram', news: '' } }
  expect(merge(base, theirs, mine)).toEqual({
    values: { ...base, name: 'Door', state: 'accepted', en: { title: 'Tram', news: '' } },
    conflicts: ['name', 'en.title'],
  })
})

test('a list counts as one field', () => {
  const theirs = { ...base, tags: ['a', 'b'] }
  const mine = { ...base, tags: ['a', 'c'] }
  expect(merge(base, theirs, mine).conflicts).toEqual(['tags'])
  expect(merge(base, theirs, base).values.tags).toEqual(['a', 'b'])
})

test('one field can be taken from other values', () => {
  const theirs = { ...base, en: { title: 'Coach', news: 'New' } }
  expect(withValueOf(base, 'en.title', theirs)).toEqual({
    ...base,
    en: { title: 'Coach', news: '' },
  })
})
