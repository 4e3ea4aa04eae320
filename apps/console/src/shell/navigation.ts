import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { LinkProps } from '@tanstack/react-router'
import {
  Bell,
  Building2,
  CircleUser,
  Cpu,
  Fingerprint,
  History,
  KeyRound,
  KeySquare,
  ListChecks,
  ScrollText,
  Smartphone,
  Users,
  type LucideIcon,
} from 'lucide-react'
import { rolesOf } from '@grove/contract/cedar/derived-role.rules'
import type { Viewer } from '../session/session.ts'
import { workingProvider } from '../session/working-provider.ts'

export type PagePath = Extract<LinkProps['to'], `/dashboard/${string}`>

export interface NavigationItem {
  to: PagePath
  icon: LucideIcon
  label: MessageDescriptor
  /** Who sees it (spec §6): developers and admins, MapleDevelopers, or admins alone. */
  access: 'developer' | 'mapleDeveloper' | 'admin'
  /** What making a new one is called, on a page that opens its form for `?create=true`. */
  create?: MessageDescriptor
}

export interface NavigationGroup {
  /** The service whose hue and texts the pages below this path use; the account has Grove's own hue. */
  service: 'account' | 'cedar' | 'maple' | 'system'
  path: string
  label: MessageDescriptor
  items: readonly NavigationItem[]
}

/** The one table of the dashboard’s pages (spec §2): the side menu, the breadcrumbs and the palette read it. */
export const navigation: readonly NavigationGroup[] = [
  {
    service: 'cedar',
    path: '/dashboard/cedar',
    label: msg`Mobile Apps`,
    items: [
      {
        to: '/dashboard/cedar/mobile',
        icon: Smartphone,
        label: msg`My apps`,
        access: 'developer',
        create: msg`New app`,
      },
      {
        to: '/dashboard/cedar/notifications',
        icon: Bell,
        label: msg`Notifications`,
        access: 'developer',
        create: msg`New notification`,
      },
      {
        to: '/dashboard/cedar/keys',
        icon: KeySquare,
        label: msg`Publish keys`,
        access: 'developer',
        create: msg`New key`,
      },
      {
        to: '/dashboard/cedar/activity',
        icon: History,
        label: msg`Activity`,
        access: 'developer',
      },
      {
        to: '/dashboard/cedar/providers',
        icon: Building2,
        label: msg`Providers`,
        access: 'admin',
        create: msg`New provider`,
      },
    ],
  },
  {
    service: 'maple',
    path: '/dashboard/maple',
    label: msg`Maple`,
    items: [
      {
        to: '/dashboard/maple/devices',
        icon: Cpu,
        label: msg`devices`,
        access: 'admin',
        create: msg`Register a device`,
      },
      {
        to: '/dashboard/maple/accounts',
        icon: KeyRound,
        label: msg`Accounts`,
        access: 'admin',
        create: msg`Register an account`,
      },
    ],
  },
  {
    service: 'system',
    path: '/dashboard/system',
    label: msg({ message: 'System', context: 'the pages about jobs and the audit trail' }),
    items: [
      { to: '/dashboard/system/jobs', icon: ListChecks, label: msg`Jobs`, access: 'admin' },
      {
        to: '/dashboard/system/events',
        icon: ScrollText,
        label: msg`Audit trail`,
        access: 'admin',
      },
    ],
  },
  {
    service: 'account',
    path: '/dashboard/cedar/account',
    label: msg`Account`,
    items: [
      {
        to: '/dashboard/cedar/account',
        icon: CircleUser,
        label: msg`Account`,
        access: 'developer',
      },
      {
        to: '/dashboard/cedar/account/details',
        icon: Fingerprint,
        label: msg`Details`,
        access: 'developer',
      },
      { to: '/dashboard/cedar/account/people', icon: Users, label: msg`People`, access: 'admin' },
    ],
  },
]

/** Whether this viewer may use the pages of an item, with the provider that they work with. */
export function isFor(viewer: Viewer, { access }: Pick<NavigationItem, 'access'>): boolean {
  if (access === 'mapleDeveloper')
    return rolesOf(viewer, workingProvider(viewer.userId)).has('MapleDeveloper')
  return viewer.isAdmin || (access === 'developer' && viewer.isDeveloper)
}

const stages =
  /^\/dashboard\/maple\/(cloud_handlers|templates|scripts|products|applets|binary_images|device_handlers|sessions\/(device|se))$/

/**
 * Whether a page of the table works with the provider that the header's selector chooses: those of
 * the groups Cloud, Resources and Sessions (spec §2).
 */
export const needsWorkingStage = (to: string) => stages.test(to)

/** The groups and items that this viewer sees; a group without items is left out. */
export const navigationFor = (viewer: Viewer): NavigationGroup[] =>
  navigation
    .map((group) => ({ ...group, items: group.items.filter((item) => isFor(viewer, item)) }))
    .filter((group) => group.items.length > 0)

/** The first page of the menu, or of one of its groups, that this viewer may open. */
export const startPageFor = (viewer: Viewer, path?: string): PagePath | undefined =>
  navigationFor(viewer).find((group) => path === undefined || group.path === path)?.items[0]?.to

const isWithin = (path: string, parent: string) => path === parent || path.startsWith(`${parent}/`)

/** The group and the item of the table that a path belongs to. */
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
