import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { LinkProps } from '@tanstack/react-router'
import {
  Bell,
  Binary,
  Boxes,
  Building2,
  CircleUser,
  CloudCog,
  Cpu,
  CreditCard,
  History,
  IdCard,
  KeyRound,
  KeySquare,
  LayoutDashboard,
  ListChecks,
  Microchip,
  Package,
  ScrollText,
  Smartphone,
  SquareTerminal,
  Users,
  Waves,
  type LucideIcon,
} from 'lucide-react'
import { rolesOf } from '@grove/contract/cedar/derived-role.rules'
import type { MapleRight } from '@grove/contract/maple/access/right.rules'
import { mapleRights } from '../session/maple-rights.ts'
import type { Viewer } from '../session/session.ts'
import { workingProvider } from '../session/working-provider.ts'

export type PagePath = Extract<LinkProps['to'], `/dashboard/${string}`>

export interface NavigationItem {
  to: PagePath
  icon: LucideIcon
  label: MessageDescriptor
  /** Who sees it (spec §6): developers and admins, MapleDevelopers and admins, or admins alone. */
  access: 'developer' | 'mapleDeveloper' | 'admin'
  /** Who opens the pages below it, if that is more people: sessions link to them. */
  accessBelow?: 'mapleDeveloper'
  /** The right of a Maple account that opens it as well. */
  right?: MapleRight
  /** The same for the pages below it alone. */
  rightBelow?: MapleRight
}

export interface NavigationGroup {
  id: string
  /** The service whose hue and texts the pages below this path use; the account has Grove's own hue. */
  service: 'account' | 'cedar' | 'maple' | 'system'
  path: string
  label: MessageDescriptor
  items: readonly NavigationItem[]
}

/** The one table of the dashboard’s pages (spec §2): the side menu, the breadcrumbs and the palette read it. */
export const navigation: readonly NavigationGroup[] = [
  {
    id: 'cedar',
    service: 'cedar',
    path: '/dashboard/cedar',
    label: msg`Mobile Apps`,
    items: [
      {
        to: '/dashboard/cedar/mobile',
        icon: Smartphone,
        label: msg`My apps`,
        access: 'developer',
      },
      {
        to: '/dashboard/cedar/notifications',
        icon: Bell,
        label: msg`Notifications`,
        access: 'developer',
      },
      {
        to: '/dashboard/cedar/keys',
        icon: KeySquare,
        label: msg`Publish keys`,
        access: 'developer',
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
      },
    ],
  },
  {
    id: 'maple',
    service: 'maple',
    path: '/dashboard/maple',
    label: msg`Maple`,
    items: [
      {
        to: '/dashboard/maple',
        icon: LayoutDashboard,
        label: msg`Maple`,
        access: 'admin',
      },
      {
        to: '/dashboard/maple/providers',
        icon: Building2,
        label: msg`Service Providers`,
        access: 'admin',
      },
      {
        to: '/dashboard/maple/devices',
        icon: Cpu,
        label: msg`devices`,
        access: 'admin',
        accessBelow: 'mapleDeveloper',
      },
      {
        to: '/dashboard/maple/secure_elements',
        icon: Microchip,
        label: msg`secure elements`,
        access: 'admin',
        accessBelow: 'mapleDeveloper',
        rightBelow: 'element.secure',
      },
      {
        to: '/dashboard/maple/accounts',
        icon: KeyRound,
        label: msg`Accounts`,
        access: 'admin',
      },
      { to: '/dashboard/maple/roles', icon: KeySquare, label: msg`Roles`, access: 'admin' },
    ],
  },
  {
    id: 'cloud',
    service: 'maple',
    path: '/dashboard/maple',
    label: msg`Cloud`,
    items: [
      {
        to: '/dashboard/maple/cloud_handlers',
        icon: CloudCog,
        label: msg`cloud handlers`,
        access: 'mapleDeveloper',
      },
      {
        to: '/dashboard/maple/device_handlers',
        icon: Binary,
        label: msg`device handlers`,
        access: 'mapleDeveloper',
      },
      {
        to: '/dashboard/maple/templates',
        icon: ListChecks,
        label: msg`templates`,
        access: 'mapleDeveloper',
      },
      {
        to: '/dashboard/maple/scripts',
        icon: ScrollText,
        label: msg`scripts`,
        access: 'mapleDeveloper',
      },
      {
        to: '/dashboard/maple/products',
        icon: Boxes,
        label: msg`IoT Products`,
        access: 'mapleDeveloper',
      },
      {
        to: '/dashboard/maple/rollouts',
        icon: Waves,
        label: msg`rollouts`,
        access: 'mapleDeveloper',
      },
    ],
  },
  {
    id: 'resources',
    service: 'maple',
    path: '/dashboard/maple',
    label: msg`Resources`,
    items: [
      {
        to: '/dashboard/maple/applets',
        icon: Package,
        label: msg`applets`,
        access: 'mapleDeveloper',
      },
      {
        to: '/dashboard/maple/binary_images',
        icon: Cpu,
        label: msg`binary images`,
        access: 'mapleDeveloper',
      },
      {
        to: '/dashboard/maple/software_cards',
        icon: IdCard,
        label: msg`software cards`,
        access: 'mapleDeveloper',
      },
      {
        to: '/dashboard/maple/readers',
        icon: CreditCard,
        label: msg`card readers`,
        access: 'mapleDeveloper',
      },
      {
        to: '/dashboard/maple/approvals',
        icon: ListChecks,
        label: msg`Approvals`,
        access: 'mapleDeveloper',
        right: 'approval.give',
      },
      {
        to: '/dashboard/maple/keys',
        icon: KeySquare,
        label: msg`API keys`,
        access: 'developer',
      },
    ],
  },
  {
    id: 'sessions',
    service: 'maple',
    path: '/dashboard/maple/sessions',
    label: msg`Sessions`,
    items: [
      {
        to: '/dashboard/maple/sessions/device',
        icon: Cpu,
        label: msg`devices`,
        access: 'mapleDeveloper',
      },
      {
        to: '/dashboard/maple/sessions/se',
        icon: SquareTerminal,
        label: msg`secure elements`,
        access: 'mapleDeveloper',
      },
    ],
  },
  {
    id: 'system',
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
    id: 'account',
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
        icon: IdCard,
        label: msg`Details`,
        access: 'developer',
      },
      { to: '/dashboard/cedar/account/people', icon: Users, label: msg`People`, access: 'admin' },
    ],
  },
]

/** Whether this viewer may use the pages of an item, with the provider that they work with. */
export function isFor(
  viewer: Viewer,
  { access, right }: Pick<NavigationItem, 'access' | 'right'>,
): boolean {
  if (right && mapleRights(viewer.userId).includes(right)) return true
  if (access === 'mapleDeveloper' && !viewer.isAdmin)
    return rolesOf(viewer, workingProvider(viewer.userId)).has('MapleDeveloper')
  return viewer.isAdmin || (access === 'developer' && viewer.isDeveloper)
}

/** Who may open a page of an item, which may be one below it. */
export function accessOf(
  item: NavigationItem,
  path: string,
): Pick<NavigationItem, 'access' | 'right'> {
  const isBelow = !isSame(path, item.to)
  const right = (isBelow ? item.rightBelow : undefined) ?? item.right
  return {
    access: (isBelow ? item.accessBelow : undefined) ?? item.access,
    ...(right && { right }),
  }
}

/** The groups and items that this viewer sees; a group without items is left out. */
export const navigationFor = (viewer: Viewer): NavigationGroup[] =>
  navigation
    .map((group) => ({ ...group, items: group.items.filter((item) => isFor(viewer, item)) }))
    .filter((group) => group.items.length > 0)

/** The first page of the menu, or of one of its groups, that this viewer may open. */
export const startPageFor = (viewer: Viewer, path?: string): PagePath | undefined =>
  navigationFor(viewer).find((group) => path === undefined || group.path === path)?.items[0]?.to

const isWithin = (path: string, parent: string) => path === parent || path.startsWith(`${parent}/`)

const isSame = (path: string, other: string) => path.replace(/\/$/, '') === other

const byLength = (a: { to: string }, b: { to: string }) => b.to.length - a.to.length

/** The group and the item of the table that a path belongs to. */
export function placeOf(path: string) {
  const item = navigation
    .flatMap(({ items }) => items)
    .toSorted(byLength)
    // The page of a service itself has the others below its path, and is not theirs.
    .find(({ to }) => (to === '/dashboard/maple' ? isSame(path, to) : isWithin(path, to)))
  const group = item
    ? navigation.find(({ items }) => items.includes(item))
    : // The longest wins: the account lies below Cedar's path.
      navigation
        .toSorted((a, b) => b.path.length - a.path.length)
        .find((candidate) => isWithin(path, candidate.path))
  return { group, item }
}
