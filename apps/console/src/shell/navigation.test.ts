import { expect, test } from 'vitest'
import { chooseProvider } from '../session/working-provider.ts'
import {
  isFor,
  navigation,
  navigationFor,
  needsWorkingStage,
  placeOf,
  startPageFor,
} from './navigation.ts'

const viewer = { userId: 'u', isAdmin: false, isDeveloper: false }
const pathsFor = (rights: Partial<typeof viewer>) =>
  navigationFor({ ...viewer, ...rights }).flatMap(({ items }) => items.map(({ to }) => to))

test('a developer sees mobile apps and no admin page', () => {
  const paths = pathsFor({ isDeveloper: true })
  expect(paths).toContain('/dashboard/cedar/mobile')
  expect(paths).not.toContain('/dashboard/maple/devices')
  expect(paths).not.toContain('/dashboard/cedar/account/people')
})

test('an admin sees the pages of both services', () => {
  const paths = pathsFor({ isAdmin: true })
  expect(paths).toEqual(navigation.flatMap(({ items }) => items.map(({ to }) => to)))
})

test('work comes first in the menu and the account last', () => {
  expect(pathsFor({ isDeveloper: true })).toEqual([
    '/dashboard/cedar/mobile',
    '/dashboard/cedar/notifications',
    '/dashboard/cedar/keys',
    '/dashboard/cedar/activity',
    '/dashboard/cedar/account',
    '/dashboard/cedar/account/details',
  ])
  expect(startPageFor({ ...viewer, isDeveloper: true })).toBe('/dashboard/cedar/mobile')
  expect(startPageFor(viewer)).toBeUndefined()
})

test('a service opens at its first page that the viewer may use', () => {
  expect(startPageFor({ ...viewer, isAdmin: true }, '/dashboard/maple')).toBe(
    '/dashboard/maple/devices',
  )
  expect(startPageFor({ ...viewer, isDeveloper: true }, '/dashboard/maple')).toBeUndefined()
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

test('the account’s pages belong to the account, although their path lies below Cedar’s', () => {
  const details = placeOf('/dashboard/cedar/account/details')
  expect(details.group?.service).toBe('account')
  expect(details.item?.to).toBe('/dashboard/cedar/account/details')
  expect(placeOf('/dashboard/cedar/account').item?.to).toBe('/dashboard/cedar/account')
  expect(placeOf('/dashboard/cedar/mobile').group?.service).toBe('cedar')
  expect(placeOf('/dashboard/cedar/accounts').group?.service).toBe('cedar')
})

test('an item of MapleDevelopers follows the provider that the developer works with', () => {
  const developer = { ...viewer, isDeveloper: true }
  const item = { access: 'mapleDeveloper' } as const
  expect(isFor(developer, item)).toBe(false)
  chooseProvider('u', { id: 'p', isDefault: false, mobyApiKey: '••••9f3a' })
  expect(isFor(developer, item)).toBe(true)
  expect(isFor({ ...developer, userId: 'somebody else' }, item)).toBe(false)
  expect(isFor({ ...viewer, isAdmin: true }, item)).toBe(false)
  chooseProvider('u', { id: 'p', isDefault: false, mobyApiKey: null })
  expect(isFor(developer, item)).toBe(false)
  chooseProvider('u', undefined)
})

test('the stage is selected on the pages of cloud, resources and sessions alone', () => {
  const pages = ['cloud_handlers', 'scripts', 'binary_images', 'sessions/device', 'sessions/se']
  for (const page of pages) expect(needsWorkingStage(`/dashboard/maple/${page}`)).toBe(true)
  for (const page of ['devices', 'accounts', 'sessions', 'products/x', 'scriptsx'])
    expect([page, needsWorkingStage(`/dashboard/maple/${page}`)]).toEqual([page, false])
  expect(needsWorkingStage('/dashboard/cedar/mobile')).toBe(false)
})
