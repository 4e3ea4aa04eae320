import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { LinkProps } from '@tanstack/react-router'
import { CircleUser, Cpu, LayoutGrid, type LucideIcon } from 'lucide-react'
import type { Viewer } from '../session/session.ts'

type PagePath = Extract<LinkProps['to'], `/dashboard/${string}`>

export interface NavigationItem {
  to: PagePath
  label: MessageDescriptor
  /** Who sees it: developers and admins, or admins alone (spec §6). */
  access: 'developer' | 'admin'
}

export interface NavigationGroup {
  /** Whose hue and words the pages below this path have; the account has the console's own hue. */
  service: 'account' | 'cedar' | 'maple'
  path: string
  label: MessageDescriptor
  icon: LucideIcon
  items: readonly NavigationItem[]
}

/** The one table of routes and labels (spec §2): the side menu and the breadcrumbs read it. */
export const navigation: readonly NavigationGroup[] = [
  {
    service: 'account',
    path: '/dashboard/cedar/account',
    label: msg`Account`,
    icon: CircleUser,
    items: [
      { to: '/dashboard/cedar/account', label: msg`Account`, access: 'developer' },
      { to: '/dashboard/cedar/account/details', label: msg`Details`, access: 'developer' },
      { to: '/dashboard/cedar/account/people', label: msg`People`, access: 'admin' },
    ],
  },
  {
    service: 'cedar',
    path: '/dashboard/cedar',
    label: msg`Mobile Apps`,
    icon: LayoutGrid,
    items: [{ to: '/dashboard/cedar/mobile', label: msg`My apps`, access: 'developer' }],
  },
  {
    service: 'maple',
    path: '/dashboard/maple',
    label: msg`Maple`,
    icon: Cpu,
    items: [{ to: '/dashboard/maple/devices', label: msg`devices`, access: 'admin' }],
  },
]

/** Whether this viewer may use the pages of an item. */
export const isFor = (viewer: Viewer, { access }: NavigationItem) =>
  viewer.isAdmin || (access === 'developer' && viewer.isDeveloper)

/** The groups and items that this viewer sees; a group without items is left out. */
export const navigationFor = (viewer: Viewer): NavigationGroup[] =>
  navigation
    .map((group) => ({ ...group, items: group.items.filter((item) => isFor(viewer, item)) }))
    .filter((group) => group.items.length > 0)

/** Where this viewer's work begins: the account comes first in the menu, but few come for it. */
export function startPageFor(viewer: Viewer): PagePath | undefined {
  const groups = navigationFor(viewer)
  const group = groups.find(({ service }) => service !== 'account') ?? groups[0]
  return group?.items[0]?.to
}

const isWithin = (path: string, parent: string) => path === parent || path.startsWith(`${parent}/`)

/** Where a path stands in the table. */
export function placeOf(path: string) {
  // The longest wins: the account lies below Cedar's path.
  const group = navigation
    .toSorted((a, b) => b.path.length - a.path.length)
    .find((candidate) => isWithin(path, candidate.path))
  const item = group?.items
    .toSorted((a, b) => b.to.length - a.to.length)
    .find((candidate) => isWithin(path, candidate.to))
  return { group, item }
}
