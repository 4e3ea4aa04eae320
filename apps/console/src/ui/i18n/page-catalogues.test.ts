import { expect, test } from 'vitest'
import { textsOf } from './locale.ts'
import { pageCatalogues } from './page-catalogues.ts'

test('the longest prefix comes last, and decides', () => {
  const beginnings = Object.keys(pageCatalogues)
  expect(beginnings).toEqual(beginnings.toSorted())
})

test.each([
  ['/', 'messages'],
  ['/login', 'messages'],
  ['/login/email', 'sign-in'],
  ['/signup', 'sign-in'],
  ['/dashboard/cedar/mobile', 'cedar'],
  ['/dashboard/cedar/mobile/0b8e/versions', 'product'],
  ['/dashboard/cedar/account/people', 'people'],
  ['/dashboard/cedar/account/people/0b8e', 'person'],
  ['/dashboard/maple/devices', 'maple'],
  ['/dashboard/maple/secure_elements/F00D', 'maple-element'],
  ['/dashboard/maple/devices/gate-1', 'maple-device'],
  ['/dashboard/unknown', 'dashboard'],
])('%s has the texts of %s', (path, catalogue) => {
  expect(textsOf(path)).toBe(catalogue)
})
