import { expect, test } from 'vitest'
import type { GuideSection } from '../../ui/guide/guide.ts'
import { findSections } from './find-sections.ts'

const section = (id: string, titles: string[], text: string): GuideSection => ({
  guide: 'guide',
  id,
  titles,
  text,
})
const sections = [
  section('keys', ['Publish', 'Make a key'], 'A key publishes the versions of one provider.'),
  section('upload', ['Publish', 'Upload the package'], 'Drop a zip. The check takes a second.'),
  section('учёт', ['Устройства', 'Учёт'], 'Учётная запись нужна каждому.'),
]
const idsOf = (query: string) => findSections(sections, query).map(({ id }) => id)

test.each([
  ['zip', ['upload']],
  ['ZIP check', ['upload']],
  ['publ', ['keys', 'upload']],
  ['key', ['keys']],
  ['учетная', ['учёт']],
  ['ersion', []],
  ['zip provider', []],
  ['c++ (', []],
  [' ', []],
])('%j finds %j', (query, ids) => expect(idsOf(query).toSorted()).toEqual(ids.toSorted()))

test('matches in a title come before matches in a text', () => {
  expect(
    findSections(
      [section('a', ['A'], 'All about rollouts.'), section('b', ['Rollouts'], 'More.')],
      'rollout',
    ).map(({ id }) => id),
  ).toEqual(['b', 'a'])
})

test('an excerpt begins near the first match, and marks every match', () => {
  const text = `${'before '.repeat(30)}the firmware of a device, and its firmware ${'after '.repeat(40)}`
  const excerpt = findSections([section('a', ['A'], text)], 'firm')[0]?.excerpt ?? []
  expect(excerpt.filter((_, at) => at % 2 === 1)).toEqual(['firm', 'firm'])
  expect(excerpt.join('').length).toBeLessThan(260)
  expect(excerpt.join('')).toMatch(/^… before .*ware.* …$/)
})
