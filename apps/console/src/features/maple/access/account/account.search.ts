import {
  accountSorting,
  accountValidities,
  isRole,
} from '@grove/contract/maple/access/account.rules'
import { isServiceId } from '@grove/contract/maple/access/service.rules'
import { defineList } from '../../../../ui/table/list-definition.ts'
import { withOne } from '../../../../ui/table/list-search.ts'

export const accountList = defineList({
  name: 'maple.account',
  item: 'account',
  sorting: accountSorting,
  filters: { validity: accountValidities, role: isRole, serviceId: isServiceId },
  columns: ['roles', 'serviceId', 'state', 'expiresAt', 'createdAt'],
  hasCount: true,
})

/** The query sent to the service: one role and one service provider, the first of the URL. */
export function accountQuery(page: ReturnType<typeof accountList.page>) {
  const { role, serviceId, ...query } = withOne(page, 'validity', accountValidities)
  const first = (values: string | undefined) => values?.split(',')[0]
  return {
    ...query,
    ...(role && { role: first(role) ?? role }),
    ...(serviceId && { serviceId: first(serviceId) ?? serviceId }),
  }
}
