import { isUuid } from '@grove/auth-client/rules'
import { dayOf } from '../../../ui/kit/day.ts'
import { defineList } from '../../../ui/table/list-definition.ts'
import { optional } from '../../../ui/table/list-search.ts'

export const notificationList = defineList({
  name: 'cedar.notification',
  item: 'notification',
  filters: { productId: isUuid, providerId: isUuid },
  columns: ['app', 'state', 'sent', 'delivered', 'opened', 'failed'],
})

export const notificationSearch = (search: Record<string, unknown>) =>
  optional({
    ...notificationList.read(search),
    /** Days in the reader's time zone, both inclusive. */
    fromDay: dayOf(search['fromDay']),
    toDay: dayOf(search['toDay']),
  })

export type NotificationSearch = ReturnType<typeof notificationSearch>
