// Runs while the frameworks are still on their way, and imports none of them (build/chunks.ts): the
// session is opened and checked, and a list's first page asked for, before there is anything to show.
import { hasDashboardAccess, isAdmin } from '@grove/auth-client/rules'
import { address } from '../api/address.ts'
import type { PathOf, ServiceName } from '../api/types.ts'
import { auth } from '../session/auth.ts'
import { sendFirstCall } from '../session/first-call.ts'
import { services } from '../session/services.ts'
import { relativeTime } from '../ui/i18n/relative-time.ts'
import { pageSizeOf } from '../ui/table/list-preferences.ts'

interface FirstList {
  service: ServiceName
  path: string
  /** As its definition (`x.search.ts`) has them. */
  name: string
  sort: string
  hasCount?: true
  isForAdmins?: true
}

const list = <S extends ServiceName>(
  service: S,
  path: PathOf<S, 'GET'>,
  rest: Omit<FirstList, 'service' | 'path'>,
): FirstList => ({ service, path, ...rest })

/**
 * What the loader of a page asks for when its address has no filter; with one the page asks itself,
 * since reading it takes the list's code. e2e/list-start.spec.ts holds that it is the same call.
 */
const lists: Record<string, FirstList> = {
  '/dashboard/maple/devices': list('maple', '/api/maple/device', {
    name: 'maple.device',
    sort: 'name',
    hasCount: true,
    isForAdmins: true,
  }),
  '/dashboard/maple/accounts': list('maple', '/api/maple/account', {
    name: 'maple.account',
    sort: 'createdAt',
    hasCount: true,
    isForAdmins: true,
  }),
  '/dashboard/cedar/mobile': list('cedar', '/api/developer/product', {
    name: 'cedar.product',
    sort: 'updatedAt',
  }),
}

function start() {
  const state = auth.getState()
  if (!location.pathname.startsWith('/dashboard') || state.status === 'signedOut') return
  // Its check needs the library and the keys: loaded now, they are here when the guard asks. It asks
  // again if they cannot be loaded.
  auth.tokenDetails().catch(() => {})
  // The first formatter costs as much as some rows of a list, which would wait for it.
  setTimeout(() => relativeTime(0, document.documentElement.lang))
  const first = lists[location.pathname.replace(/\/$/, '')]
  if (!first || location.search !== '') return
  const { roles } = state.session
  const isAllowed = first.isForAdmins
    ? isAdmin(roles)
    : hasDashboardAccess(roles, auth.dashboardRoles)
  if (!isAllowed) return
  const { url, apiVersion } = services[first.service]
  const { name, sort, hasCount } = first
  const query = { sort, limit: pageSizeOf(name), ...(hasCount && { count: true }) }
  sendFirstCall(url + address(first.path, {}, query), apiVersion)
}

start()
