import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { eventListQuery } from '../../../../features/system/event/event.api.ts'
import { EventList } from '../../../../features/system/event/event.list.tsx'
import { eventSearch } from '../../../../features/system/event/event.search.ts'

export const Route = createFileRoute('/_app/dashboard/system/events')({
  staticData: { title: msg`Audit trail` },
  validateSearch: eventSearch,
  loaderDeps: ({ search }) => search,
  // Not awaited: the page shows its frame immediately and the table its skeleton.
  loader: ({ context: { queryClient, viewer }, deps }) => {
    // The shell tells a developer why the page is closed; a request would be refused.
    if (viewer.isAdmin) void queryClient.prefetchQuery(eventListQuery(deps))
  },
  component: EventList,
})
