import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { sessionsQuery } from '../../../../../../features/maple/card/session/session.api.ts'
import { SessionList } from '../../../../../../features/maple/card/session/session.list.tsx'
import { sessionSearch } from '../../../../../../features/maple/card/session/session.search.ts'

export const Route = createFileRoute('/_app/dashboard/maple/sessions/se/')({
  staticData: { title: msg`Sessions` },
  validateSearch: sessionSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    void queryClient.prefetchQuery(sessionsQuery(deps)),
  component: SessionList,
})
