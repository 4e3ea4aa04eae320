import { expect, test } from 'vitest'
import { checkImports } from './check-imports.ts'
import { packageInWords, packageName } from './known-packages.ts'

const framework = { aid: 'A0000000620101', major: 1, minor: 3 }
const vendor = { aid: 'A0000003965400', major: 2, minor: 0 }

test('a later minor version of the same major one is enough', () => {
  const states = [0, 2, 3, 6].map(
    (minor) => checkImports([framework], [{ ...framework, minor }])[0]?.state,
  )
  expect(states).toEqual(['old', 'old', 'there', 'there'])
  expect(checkImports([framework], [{ ...framework, major: 2 }])).toEqual([
    { ...framework, state: 'old', found: '2.3' },
  ])
})

test('what a card does not list is missing only if it lists its packages', () => {
  expect(checkImports([vendor], [framework])[0]?.state).toBe('missing')
  expect(checkImports([vendor], [])[0]?.state).toBe('unlisted')
  expect(checkImports([vendor], [], { isComplete: true })[0]?.state).toBe('missing')
})

test('a listed package without a version is taken to suit', () => {
  expect(checkImports([vendor], [{ aid: vendor.aid }])[0]?.state).toBe('there')
})

test('packages have names', () => {
  expect(packageInWords({ aid: 'A0000000620101', major: 1, minor: 9 })).toBe(
    'javacard.framework 1.9 (Java Card 3.2)',
  )
  expect(packageInWords(vendor)).toBe('A0000003965400 2.0')
  expect(packageName('a0000000871005ffffffff8913200000')).toBe('uicc.usim.toolkit')
})
