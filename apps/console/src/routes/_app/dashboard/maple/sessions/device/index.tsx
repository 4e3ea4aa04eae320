import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { deviceSessionsQuery } from '../../../../../../features/maple/connect/device-session/device-session.api.ts'
import { DeviceSessionList } from '../../../../../../features/maple/connect/device-session/device-session.list.tsx'
import { deviceSessionSearch } from '../../../../../../features/maple/connect/device-session/device-session.search.ts'

export const Route = createFileRoute('/_app/dashboard/maple/sessions/device/')({
  staticData: { title: msg`Sessions` },
  validateSearch: deviceSessionSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) =>
    void queryClient.prefetchQuery(deviceSessionsQuery(deps)),
  component: DeviceSessionList,
})
