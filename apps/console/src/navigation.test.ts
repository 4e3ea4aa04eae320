import { expect, test } from 'vitest'
import { navigation, navigationFor, placeOf } from './navigation.ts'

const viewer = { userId: 'u', isAdmin: false, isDeveloper: false }
const pathsFor = (rights: Partial<typeof viewer>) =>
  navigationFor({ ...viewer, ...rights }).flatMap(({ items }) => items.map(({ to }) => to))

test('a developer sees mobile apps and no admin page', () => {
  const paths = pathsFor({ isDeveloper: true })
  expect(paths).toContain('/dashboard/cedar/mobile')
  expect(paths).not.toContain('/dashboard/maple/devices')
})

test('an admin sees the pages of both services', () => {
  const paths = pathsFor({ isAdmin: true })
  expect(paths).toEqual(navigation.flatMap(({ items }) => items.map(({ to }) => to)))
})

test('a customer sees no menu', () => expect(pathsFor({})).toEqual([]))

test('a page below an item belongs to that item', () => {
  const { group, item } = placeOf('/dashboard/maple/devices/dev-1')
  expect(group?.service).toBe('maple')
  expect(item?.to).toBe('/dashboard/maple/devices')
})

test('a path that only begins alike belongs to nothing', () => {
  expect(placeOf('/dashboard/maple-syrup')).toEqual({ group: undefined, item: undefined })
  expect(placeOf('/dashboard/maple/devices-old').item).toBeUndefined()
})
