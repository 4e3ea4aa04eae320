import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { eventListQuery } from '../../../../features/system/event/event.api.ts'
import { EventList } from '../../../../features/system/event/event.list.tsx'
import { eventPage, eventSearch } from '../../../../features/system/event/event.search.ts'

export const Route = createFileRoute('/_app/dashboard/system/events')({
  // The loader brings the client of the API, which the sign-in page must not pay for.
  codeSplitGroupings: [['loader', 'component']],
  staticData: { title: msg`Audit trail` },
  validateSearch: eventSearch,
  loaderDeps: ({ search }) => ({ service: search.service, page: eventPage(search) }),
  // Not awaited: the page shows its frame at once and the table its skeleton.
  loader: ({ context: { queryClient, viewer }, deps: { service, page } }) => {
    // The shell says to a developer why the page is closed; a request would be refused.
    if (viewer.isAdmin) void queryClient.prefetchQuery(eventListQuery(service, page))
  },
  component: EventsPage,
})

function EventsPage() {
  const navigate = Route.useNavigate()
  return (
    <EventList
      search={Route.useSearch()}
      onSearch={(change, { isTyping = false } = {}) =>
        void navigate({
          search: (now) => eventSearch({ ...now, ...change }),
          replace: isTyping,
          resetScroll: false,
        })
      }
    />
  )
}
