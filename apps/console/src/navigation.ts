import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { LinkProps } from '@tanstack/react-router'
import { Cpu, LayoutGrid, type LucideIcon } from 'lucide-react'
import type { Viewer } from './app/session.ts'

type PagePath = Extract<LinkProps['to'], `/dashboard/${string}`>

export interface NavigationItem {
  to: PagePath
  label: MessageDescriptor
  /** Who sees it: developers and admins, or admins alone (spec §6). */
  access: 'developer' | 'admin'
}

export interface NavigationGroup {
  /** The service whose hue the pages below this path wear. */
  service: 'cedar' | 'maple'
  path: string
  label: MessageDescriptor
  icon: LucideIcon
  items: readonly NavigationItem[]
}

/** The one table of routes and labels (spec §2): the side menu and the breadcrumbs read it. */
export const navigation: readonly NavigationGroup[] = [
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

const isWithin = (path: string, parent: string) => path === parent || path.startsWith(`${parent}/`)

/** Where a path stands in the table. */
export function placeOf(path: string) {
  const group = navigation.find((candidate) => isWithin(path, candidate.path))
  const item = group?.items
    .toSorted((a, b) => b.to.length - a.to.length)
    .find((candidate) => isWithin(path, candidate.to))
  return { group, item }
}
