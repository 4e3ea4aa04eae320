import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { historyQuery } from '../../../../features/cedar/notification/notification.api.ts'
import { NotificationList } from '../../../../features/cedar/notification/notification.list.tsx'
import { notificationSearch } from '../../../../features/cedar/notification/notification.search.ts'

export const Route = createFileRoute('/_app/dashboard/cedar/notifications')({
  staticData: { title: msg`Notifications` },
  validateSearch: notificationSearch,
  loaderDeps: ({ search }) => search,
  // Not awaited: the page shows its frame immediately and the table its skeleton.
  loader: ({ context: { queryClient }, deps }) => {
    void queryClient.prefetchQuery(historyQuery(deps))
  },
  component: NotificationList,
})
