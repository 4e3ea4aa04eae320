// Runs before the frameworks have arrived, and imports none of them (build/chunks.ts): it opens and
// checks the session, and requests a list's first page, before there is anything to show.
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
  /** From the list's definition (`x.search.ts`). */
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
 * What a page's loader requests when its URL has no filter. With a filter the page requests it
 * itself, since parsing one needs the list's code. e2e/list-start.spec.ts checks that the calls are
 * identical.
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
  // Verifying it needs the library and the keys: loaded now, they are ready when the guard needs
  // them. If they fail to load, the guard tries again.
  auth.tokenDetails().catch(() => {})
  // Creating the first formatter costs as much as a few rows of a list, which would have to wait.
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
