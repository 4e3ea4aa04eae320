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
  History,
  House,
  IdCard,
  Inbox,
  KeySquare,
  LayoutDashboard,
  ListChecks,
  Microchip,
  Package,
  ScrollText,
  Smartphone,
  SquareTerminal,
  Users,
  type LucideIcon,
} from 'lucide-react'
import { rolesOf } from '@grove/contract/cedar/derived-role.rules'
import type { MapleRight } from '@grove/contract/maple/access/right.rules'
import { isLacking } from '../api/lacking.ts'
import { mapleRights } from '../session/maple-rights.ts'
import type { Viewer } from '../session/session.ts'
import { workingProvider } from '../session/working-provider.ts'

export type PagePath = Extract<LinkProps['to'], '/dashboard' | `/dashboard/${string}`>

/** A page of the dashboard. */
export interface NavigationPage {
  to: PagePath
  label: MessageDescriptor
  /** Who sees it (spec §6): developers and admins, MapleDevelopers and admins, or admins only. */
  access: 'developer' | 'mapleDeveloper' | 'admin'
  /** Who may open the pages below it, if that is more people: sessions link to them. */
  accessBelow?: 'developer' | 'mapleDeveloper'
  /** The right of a Maple account that also grants access. */
  right?: MapleRight
  /** The same for the pages below it only. */
  rightBelow?: MapleRight
}

export interface NavigationItem extends NavigationPage {
  icon: LucideIcon
  /** Pages shown as tabs beside it, for the same people. */
  tabs?: readonly Pick<NavigationPage, 'to' | 'label'>[]
  /** The label of its own tab, if different. */
  tabLabel?: MessageDescriptor
  /** Other pages below its URL do not belong to it. */
  isExact?: true
  /** Where those who may not open it find the pages below it. */
  instead?: PagePath
  /** The header links to it, not the menu. */
  isInMenu?: false
}

export interface NavigationGroup {
  id: string
  /** The service whose hue and texts the pages below this path use; the account has Grove's own hue. */
  service: 'account' | 'cedar' | 'maple' | 'system'
  path: string
  label: MessageDescriptor
  items: readonly NavigationItem[]
  /** The menu shows its single item in its place. */
  isSingle?: true
}

/**
 * The single table of the dashboard’s pages (spec §2), used by the side menu, the breadcrumbs and the
 * palette.
 */
export const navigation: readonly NavigationGroup[] = [
  {
    id: 'home',
    service: 'account',
    path: '/dashboard',
    label: msg({ message: 'Home', context: 'the first page' }),
    isSingle: true,
    items: [
      {
        to: '/dashboard',
        icon: House,
        label: msg({ message: 'Home', context: 'the first page' }),
        access: 'developer',
        isExact: true,
      },
    ],
  },
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
        tabLabel: msg`Apps`,
        tabs: [
          { to: '/dashboard/cedar/keys', label: msg`Publish keys` },
          { to: '/dashboard/cedar/activity', label: msg`Activity` },
        ],
      },
      {
        to: '/dashboard/cedar/notifications',
        icon: Bell,
        label: msg`Notifications`,
        access: 'developer',
      },
      {
        to: '/dashboard/cedar/providers',
        icon: Building2,
        label: msg`Providers`,
        access: 'admin',
        accessBelow: 'developer',
      },
    ],
  },
  {
    id: 'iot',
    service: 'maple',
    path: '/dashboard/iot',
    label: msg`IoT Products`,
    isSingle: true,
    items: [
      {
        to: '/dashboard/iot',
        icon: Boxes,
        label: msg`IoT Products`,
        access: 'mapleDeveloper',
        tabLabel: msg`devices`,
        tabs: [
          { to: '/dashboard/maple/groups', label: msg`Groups` },
          { to: '/dashboard/maple/changes', label: msg`Bulk changes` },
          { to: '/dashboard/maple/products', label: msg`Products` },
          { to: '/dashboard/maple/rollouts', label: msg`Rollouts` },
          { to: '/dashboard/maple/sessions/device', label: msg`Connections` },
        ],
      },
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
        label: msg`Products`,
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
        to: '/dashboard/maple/device_handlers',
        icon: Binary,
        label: msg`device handlers`,
        access: 'mapleDeveloper',
      },
      {
        to: '/dashboard/maple/approvals',
        icon: Inbox,
        label: msg`Approvals`,
        access: 'mapleDeveloper',
        right: 'approval.give',
        isInMenu: false,
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
        tabLabel: msg`Sessions`,
        tabs: [
          { to: '/dashboard/maple/software_cards', label: msg`Software cards` },
          { to: '/dashboard/maple/readers', label: msg`Card readers` },
        ],
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
        label: msg`Overview`,
        access: 'admin',
        isExact: true,
      },
      {
        to: '/dashboard/maple/providers',
        icon: Building2,
        label: msg`Service Providers`,
        access: 'admin',
        accessBelow: 'mapleDeveloper',
      },
      {
        to: '/dashboard/maple/devices',
        icon: Cpu,
        label: msg`devices`,
        access: 'admin',
        accessBelow: 'mapleDeveloper',
        instead: '/dashboard/iot',
        tabs: [
          { to: '/dashboard/maple/groups', label: msg`Groups` },
          { to: '/dashboard/maple/imports', label: msg`Imports` },
          { to: '/dashboard/maple/changes', label: msg`Bulk changes` },
        ],
      },
      {
        to: '/dashboard/maple/secure_elements',
        icon: Microchip,
        label: msg`secure elements`,
        access: 'admin',
        accessBelow: 'mapleDeveloper',
        instead: '/dashboard/maple/sessions/se',
        rightBelow: 'element.secure',
        tabs: [
          { to: '/dashboard/maple/secure_elements/profiles', label: msg`Profiles` },
          { to: '/dashboard/maple/secure_elements/masters', label: msg`Master keys` },
        ],
      },
    ],
  },
  {
    id: 'access',
    service: 'account',
    path: '/dashboard/cedar/account/people',
    label: msg({ message: 'Access', context: 'the pages about people and roles' }),
    items: [
      {
        to: '/dashboard/cedar/account/people',
        icon: Users,
        label: msg`People`,
        access: 'admin',
        tabs: [
          { to: '/dashboard/cedar/account/invitations', label: msg`Invitations` },
          { to: '/dashboard/maple/accounts', label: msg`Maple accounts` },
        ],
      },
      { to: '/dashboard/maple/roles', icon: KeySquare, label: msg`Roles`, access: 'admin' },
    ],
  },
  {
    id: 'system',
    service: 'system',
    path: '/dashboard/system',
    label: msg({ message: 'System', context: 'the pages about jobs and the audit trail' }),
    isSingle: true,
    items: [
      {
        to: '/dashboard/system/jobs',
        icon: History,
        label: msg({ message: 'System', context: 'the pages about jobs and the audit trail' }),
        access: 'admin',
        tabLabel: msg`Jobs`,
        tabs: [{ to: '/dashboard/system/events', label: msg`Audit trail` }],
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
        isExact: true,
        tabs: [{ to: '/dashboard/maple/keys', label: msg`API keys` }],
      },
      {
        to: '/dashboard/cedar/account/details',
        icon: IdCard,
        label: msg`Details`,
        access: 'developer',
      },
    ],
  },
]

/** Whether this viewer may use a page, with the provider that they work with. */
export function isFor(
  viewer: Viewer,
  { access, right }: Pick<NavigationPage, 'access' | 'right'>,
): boolean {
  if (right && mapleRights(viewer.userId).includes(right)) return true
  if (access === 'mapleDeveloper' && !viewer.isAdmin)
    return rolesOf(viewer, workingProvider(viewer.userId)).has('MapleDeveloper')
  return viewer.isAdmin || (access === 'developer' && viewer.isDeveloper)
}

/** Who may open a path that belongs to a page: the page itself, or one below it. */
export function accessOf(
  page: NavigationPage,
  path: string,
): Pick<NavigationPage, 'access' | 'right'> {
  const isBelow = !isSame(path, page.to)
  const right = (isBelow ? page.rightBelow : undefined) ?? page.right
  return {
    access: (isBelow ? page.accessBelow : undefined) ?? page.access,
    ...(right && { right }),
  }
}

/** The groups and items of the menu that this viewer sees; empty groups are left out. */
export const navigationFor = (viewer: Viewer): NavigationGroup[] =>
  navigation
    .map((group) => ({
      ...group,
      items: group.items.filter(
        (item) => item.isInMenu !== false && isFor(viewer, item) && !isLacking(item.to),
      ),
    }))
    .filter((group) => group.items.length > 0)

/** The pages shown as tabs beside a menu item's page. */
export const besides = ({ tabs = [], access }: NavigationItem): NavigationPage[] =>
  tabs.map((tab) => ({ ...tab, access }))

/** The tabs on the page at a path, including its own; none for pages below. */
export function tabsFor(viewer: Viewer, path: string): readonly NavigationPage[] {
  const item = navigation
    .flatMap(({ items }) => items)
    .find((each) => each.tabs && [each, ...besides(each)].some(({ to }) => isSame(path, to)))
  if (!item || !isFor(viewer, item)) return []
  return [{ ...item, label: item.tabLabel ?? item.label }, ...besides(item)].filter(
    ({ to }) => !isLacking(to),
  )
}

/** The first page of a group of the menu that this viewer may open. */
export const startPageFor = (viewer: Viewer, path: string): PagePath | undefined =>
  navigationFor(viewer).find((group) => group.path === path)?.items[0]?.to

const isWithin = (path: string, parent: string) => path === parent || path.startsWith(`${parent}/`)

const isSame = (path: string, other: string) => path.replace(/\/$/, '') === other

interface Place {
  group?: NavigationGroup | undefined
  item?: NavigationItem | undefined
  /** The item itself, or the one of its tabs that the path belongs to. */
  page?: NavigationPage | undefined
}

const places = navigation
  .flatMap((group) =>
    group.items.flatMap((item) => [
      { group, item, page: item, isExact: item.isExact },
      ...besides(item).map((page) => ({ group, item, page, isExact: undefined })),
    ]),
  )
  // The longest match wins; on a tie, the menu's own.
  .toSorted(
    (a, b) =>
      b.page.to.length - a.page.to.length || Number(b.page === b.item) - Number(a.page === a.item),
  )

// A URL that does not exist belongs to no page, rather than to the first.
const groupsByLength = navigation.slice(1).toSorted((a, b) => b.path.length - a.path.length)

/** The group, item and page of the table that a path belongs to. */
export const placeOf = (path: string): Place =>
  places.find(({ page: { to }, isExact }) => (isExact ? isSame(path, to) : isWithin(path, to))) ?? {
    group: groupsByLength.find((group) => isWithin(path, group.path)),
  }

/** Where this viewer finds a path; others may find it elsewhere. */
export function placeFor(viewer: Viewer, path: string): Place {
  const place = placeOf(path)
  const { item } = place
  return item?.instead && !isFor(viewer, item) ? placeOf(item.instead) : place
}
