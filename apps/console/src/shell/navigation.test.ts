import { expect, test } from 'vitest'
import { isStagePage } from '../session/stage-page.ts'
import { keepMapleRights } from '../session/maple-rights.ts'
import { chooseProvider } from '../session/working-provider.ts'
import { accessOf, isFor, navigation, navigationFor, placeOf, startPageFor } from './navigation.ts'

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
    '/dashboard/maple/keys',
    '/dashboard/cedar/account',
    '/dashboard/cedar/account/details',
  ])
  expect(startPageFor({ ...viewer, isDeveloper: true })).toBe('/dashboard/cedar/mobile')
  expect(startPageFor(viewer)).toBeUndefined()
})

test('a service opens at its first page that the viewer may use', () => {
  expect(startPageFor({ ...viewer, isAdmin: true }, '/dashboard/maple')).toBe('/dashboard/maple')
  expect(startPageFor({ ...viewer, isDeveloper: true }, '/dashboard/maple')).toBe(
    '/dashboard/maple/keys',
  )
})

test('a MapleDeveloper has groups of their own for resources and sessions, as an admin does', () => {
  const groupsFor = (rights: Partial<typeof viewer>) =>
    navigationFor({ ...viewer, ...rights }).map(({ id, items }) => [id, items.map(({ to }) => to)])
  chooseProvider('u', { id: 'p', isDefault: false, mobyApiKey: '••••9f3a' })
  const groups = Object.fromEntries(groupsFor({ isDeveloper: true }))
  chooseProvider('u', undefined)
  expect(Object.keys(groups)).toEqual(['cedar', 'cloud', 'resources', 'sessions', 'account'])
  const { cloud, resources, sessions } = groups
  expect(cloud).toEqual([
    '/dashboard/maple/cloud_handlers',
    '/dashboard/maple/device_handlers',
    '/dashboard/maple/templates',
    '/dashboard/maple/scripts',
    '/dashboard/maple/products',
    '/dashboard/maple/rollouts',
  ])
  expect(resources).toEqual([
    '/dashboard/maple/applets',
    '/dashboard/maple/binary_images',
    '/dashboard/maple/software_cards',
    '/dashboard/maple/readers',
    '/dashboard/maple/approvals',
    '/dashboard/maple/keys',
  ])
  expect(sessions).toEqual(['/dashboard/maple/sessions/device', '/dashboard/maple/sessions/se'])
  expect(Object.fromEntries(groupsFor({ isAdmin: true }))).toMatchObject({
    cloud,
    resources,
    sessions,
  })
})

test('a page of resources or sessions belongs to its group, and not to the service’s own', () => {
  const groupOf = (page: string) => placeOf(`/dashboard/maple/${page}`).group?.id
  expect(['applets/one', 'keys', 'sessions/se/one', 'devices', ''].map(groupOf)).toEqual([
    'resources',
    'resources',
    'sessions',
    'maple',
    'maple',
  ])
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
  expect(isFor({ ...viewer, isAdmin: true }, item)).toBe(true)
  chooseProvider('u', { id: 'p', isDefault: false, mobyApiKey: null })
  expect(isFor(developer, item)).toBe(false)
  chooseProvider('u', undefined)
})

test('the stage is selected on the pages of cloud, resources and sessions alone', () => {
  const pages = [
    'cloud_handlers',
    'device_handlers',
    'scripts',
    'binary_images',
    'readers',
    'sessions/device',
    'sessions/se',
  ]
  for (const page of [...pages, 'sessions/se/one'])
    expect(isStagePage(`/dashboard/maple/${page}`)).toBe(true)
  for (const page of ['devices', 'accounts', 'sessions', 'productsx', 'scriptsx'])
    expect([page, isStagePage(`/dashboard/maple/${page}`)]).toEqual([page, false])
  expect(isStagePage('/dashboard/cedar/mobile')).toBe(false)
})

test.each(['secure_elements', 'devices'])(
  'a MapleDeveloper opens one of the %s, but not their list',
  (page) => {
    const developer = { ...viewer, isDeveloper: true }
    const { item } = placeOf(`/dashboard/maple/${page}`)
    if (!item) throw new Error(`The menu has no ${page}.`)
    const isOpen = (path: string) => isFor(developer, accessOf(item, path))
    expect(isOpen(`${item.to}/4790`)).toBe(false)
    chooseProvider('u', { id: 'p', isDefault: false, mobyApiKey: '••••9f3a' })
    expect([isOpen(item.to), isOpen(`${item.to}/`), isOpen(`${item.to}/4790`)]).toEqual([
      false,
      false,
      true,
    ])
    chooseProvider('u', undefined)
  },
)

test('a Maple account opens approvals and the elements that they are for', () => {
  const developer = { ...viewer, isDeveloper: true }
  const isOpen = (path: string, who = developer) => {
    const { item } = placeOf(`/dashboard/maple/${path}`)
    if (!item) throw new Error(`The menu has no ${path}.`)
    return isFor(who, accessOf(item, `/dashboard/maple/${path}`))
  }
  expect([isOpen('approvals'), isOpen('secure_elements/4790')]).toEqual([false, false])
  keepMapleRights('u', ['element.secure', 'approval.give'])
  expect(pathsFor({ isDeveloper: true })).toContain('/dashboard/maple/approvals')
  expect([isOpen('approvals'), isOpen('secure_elements/4790')]).toEqual([true, true])
  expect([isOpen('secure_elements'), isOpen('applets')]).toEqual([false, false])
  expect(isOpen('approvals', { ...developer, userId: 'somebody else' })).toBe(false)
  keepMapleRights('u', [])
})
