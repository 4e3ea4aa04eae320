// Runs while the frameworks are still on their way, and imports none of them (build/chunks.ts): the
// session is opened and checked, and a list's first page asked for, before there is anything to show.
import { hasDashboardAccess, isAdmin } from '@grove/auth-client/rules'
import { address } from '../api/address.ts'
import type { PathOf, ServiceName } from '../api/types.ts'
import { productList, productQuery } from '../features/cedar/product/product.search.ts'
import { accountList, accountQuery } from '../features/maple/account/account.search.ts'
import { deviceList } from '../features/maple/device/device.search.ts'
import { auth } from '../session/auth.ts'
import { sendFirstCall } from '../session/first-call.ts'
import { services } from '../session/services.ts'
import { parseSearch } from './search-address.ts'

type Search = Record<string, unknown>
interface Call {
  service: ServiceName
  path: string
  query: (search: Search) => Record<string, string | number | boolean>
  isForAdmins: boolean
}

const call = <S extends ServiceName>(
  service: S,
  path: PathOf<S, 'GET'>,
  query: Call['query'],
  { isForAdmins = false } = {},
): Call => ({ service, path, query, isForAdmins })

/** What the loader of a page asks for; e2e/first-call.spec.ts holds that it is the same call. */
const calls: Record<string, Call> = {
  '/dashboard/maple/devices': call(
    'maple',
    '/api/maple/device',
    (search) => deviceList.page(deviceList.read(search)),
    { isForAdmins: true },
  ),
  '/dashboard/maple/accounts': call(
    'maple',
    '/api/maple/account',
    (search) => accountQuery(accountList.page(accountList.read(search))),
    { isForAdmins: true },
  ),
  '/dashboard/cedar/mobile': call('cedar', '/api/developer/product', (search) =>
    productQuery(productList.page(productList.read(search))),
  ),
}

function start() {
  const state = auth.getState()
  if (!location.pathname.startsWith('/dashboard') || state.status === 'signedOut') return
  // Its check needs the library and the keys: loaded now, they are here when the guard asks. It asks
  // again if they cannot be loaded.
  auth.tokenDetails().catch(() => {})
  const first = calls[location.pathname.replace(/\/$/, '')]
  if (!first) return
  const { roles } = state.session
  const isAllowed = first.isForAdmins
    ? isAdmin(roles)
    : hasDashboardAccess(roles, auth.dashboardRoles)
  if (!isAllowed) return
  const { url, apiVersion } = services[first.service]
  const query = first.query(parseSearch(location.search))
  sendFirstCall(url + address(first.path, {}, query), apiVersion)
}

start()
