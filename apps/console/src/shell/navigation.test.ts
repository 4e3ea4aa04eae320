import { expect, test } from 'vitest'
import { isStagePage, worksInStage } from '../session/stage-page.ts'
import { keepMapleRights } from '../session/maple-rights.ts'
import { chooseProvider } from '../session/working-provider.ts'
import {
  accessOf,
  isFor,
  navigation,
  navigationFor,
  placeFor,
  placeOf,
  startPageFor,
  tabsFor,
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
  const menu = navigation
    .flatMap(({ items }) => items)
    .filter(({ to }) => to !== '/dashboard/maple/approvals')
  expect(paths).toEqual(menu.map(({ to }) => to))
  expect(paths.length).toBeLessThanOrEqual(24)
})

test('the first page comes first in the menu and the account last', () => {
  expect(pathsFor({ isDeveloper: true })).toEqual([
    '/dashboard',
    '/dashboard/cedar/mobile',
    '/dashboard/cedar/notifications',
    '/dashboard/cedar/account',
    '/dashboard/cedar/account/details',
  ])
})

test('a service opens at its first page that the viewer may use', () => {
  const startOf = (rights: Partial<typeof viewer>, path: string) =>
    startPageFor({ ...viewer, ...rights }, `/dashboard/${path}`)
  expect(startOf({ isDeveloper: true }, 'cedar')).toBe('/dashboard/cedar/mobile')
  expect(startOf({ isAdmin: true }, 'system')).toBe('/dashboard/system/jobs')
  expect(startOf({ isDeveloper: true }, 'system')).toBeUndefined()
})

test('a MapleDeveloper has separate groups for resources and sessions, like an admin', () => {
  const groupsFor = (rights: Partial<typeof viewer>) =>
    navigationFor({ ...viewer, ...rights }).map(({ id, items }) => [id, items.map(({ to }) => to)])
  chooseProvider('u', { id: 'p', isDefault: false, mobyApiKey: '••••9f3a' })
  const groups = Object.fromEntries(groupsFor({ isDeveloper: true }))
  chooseProvider('u', undefined)
  expect(Object.keys(groups)).toEqual([
    'home',
    'cedar',
    'iot',
    'cloud',
    'resources',
    'sessions',
    'account',
  ])
  const { cloud, resources, sessions } = groups
  expect(cloud).toEqual([
    '/dashboard/maple/cloud_handlers',
    '/dashboard/maple/templates',
    '/dashboard/maple/scripts',
    '/dashboard/maple/products',
  ])
  expect(resources).toEqual([
    '/dashboard/maple/applets',
    '/dashboard/maple/binary_images',
    '/dashboard/maple/device_handlers',
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
  const pages = ['applets/one', 'readers', 'keys', 'sessions/se/one', 'devices', '']
  expect(pages.map(groupOf)).toEqual([
    'resources',
    'sessions',
    'account',
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

test('those who may not open a page’s list find the page where their own list is', () => {
  const itemOf = (rights: Partial<typeof viewer>, path: string) =>
    placeFor({ ...viewer, ...rights }, `/dashboard/maple/${path}`).item?.to
  expect(itemOf({ isDeveloper: true }, 'devices/dev-1')).toBe('/dashboard/iot')
  expect(itemOf({ isAdmin: true }, 'devices/dev-1')).toBe('/dashboard/maple/devices')
  expect(itemOf({ isDeveloper: true }, 'secure_elements/F00D')).toBe('/dashboard/maple/sessions/se')
  expect(itemOf({ isDeveloper: true }, 'scripts')).toBe('/dashboard/maple/scripts')
})

test('a path with only a common prefix belongs to nothing', () => {
  expect(placeOf('/dashboard/maple-syrup')).toEqual({ group: undefined })
  expect(placeOf('/dashboard/maple/devices-old').item).toBeUndefined()
})

test('the account’s pages belong to the account, although their path is below Cedar’s', () => {
  const details = placeOf('/dashboard/cedar/account/details')
  expect(details.group?.service).toBe('account')
  expect(details.item?.to).toBe('/dashboard/cedar/account/details')
  expect(placeOf('/dashboard/cedar/account').item?.to).toBe('/dashboard/cedar/account')
  expect(placeOf('/dashboard/cedar/mobile').group?.service).toBe('cedar')
  expect(placeOf('/dashboard/cedar/accounts').group?.service).toBe('cedar')
})

test('an item for MapleDevelopers follows the provider that the developer works with', () => {
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

test('only the pages of cloud, resources and sessions have the stage selector', () => {
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

test('one’s own devices are those of the stage, which is chosen elsewhere', () => {
  const page = '/dashboard/iot'
  expect([isStagePage(page), worksInStage(page), worksInStage(`${page}/`)]).toEqual([
    false,
    true,
    true,
  ])
  expect(worksInStage('/dashboard/maple/products')).toBe(true)
  for (const other of ['/dashboard/iotx', '/dashboard/maple/devices'])
    expect([other, worksInStage(other)]).toEqual([other, false])
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

test('a Maple account opens approvals and the elements they concern', () => {
  const developer = { ...viewer, isDeveloper: true }
  const isOpen = (path: string, who = developer) => {
    const { item } = placeOf(`/dashboard/maple/${path}`)
    if (!item) throw new Error(`The menu has no ${path}.`)
    return isFor(who, accessOf(item, `/dashboard/maple/${path}`))
  }
  expect([isOpen('approvals'), isOpen('secure_elements/4790')]).toEqual([false, false])
  keepMapleRights('u', ['element.secure', 'approval.give'])
  expect([isOpen('approvals'), isOpen('secure_elements/4790')]).toEqual([true, true])
  expect([isOpen('secure_elements'), isOpen('applets')]).toEqual([false, false])
  expect(isOpen('approvals', { ...developer, userId: 'somebody else' })).toBe(false)
  keepMapleRights('u', [])
})

test('pages of one menu item are shown side by side, if the viewer may open them', () => {
  const tabsOf = (rights: Partial<typeof viewer>, page: string) =>
    tabsFor({ ...viewer, ...rights }, `/dashboard/${page}`).map(({ to }) => to.slice(11))
  const ofApps = ['cedar/mobile', 'cedar/keys', 'cedar/activity']
  for (const page of ofApps) expect(tabsOf({ isDeveloper: true }, page)).toEqual(ofApps)
  // Pages below have no tabs.
  expect(tabsOf({ isDeveloper: true }, 'cedar/mobile/one')).toEqual([])
  expect(tabsOf({ isAdmin: true }, 'maple/products')).toEqual([
    'iot',
    'maple/groups',
    'maple/changes',
    'maple/products',
    'maple/rollouts',
    'maple/sessions/device',
  ])
  expect(tabsOf({ isDeveloper: true }, 'maple/rollouts')).toEqual([])
})

test('a page that is a menu item and a tab belongs to the item', () => {
  const { group, item, page } = placeOf('/dashboard/maple/products/one')
  expect([group?.id, item?.to, page?.to]).toEqual([
    'cloud',
    '/dashboard/maple/products',
    '/dashboard/maple/products',
  ])
})

test('a page that is only a tab belongs to the item that shows it', () => {
  const { group, item, page } = placeOf('/dashboard/maple/rollouts/one')
  expect([group?.id, item?.to, page?.to]).toEqual([
    'iot',
    '/dashboard/iot',
    '/dashboard/maple/rollouts',
  ])
})
