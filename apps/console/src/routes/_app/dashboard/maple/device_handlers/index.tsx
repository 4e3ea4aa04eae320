import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { deviceHandlers } from '../../../../../features/maple/program/device-handler/device-handler.api.ts'
import { DeviceHandlerList } from '../../../../../features/maple/program/device-handler/device-handler.list.tsx'
import { deviceHandlerList } from '../../../../../features/maple/program/device-handler/device-handler.search.ts'
import { prefetchList } from '../../../../../ui/table/prefetch-list.ts'

export const Route = createFileRoute('/_app/dashboard/maple/device_handlers/')({
  staticData: { title: msg`Device handlers` },
  validateSearch: deviceHandlerList.read,
  loaderDeps: ({ search }) => deviceHandlerList.deps(search),
  loader: ({ context, deps }) => prefetchList(deviceHandlers, context, deps),
  component: DeviceHandlerList,
})
