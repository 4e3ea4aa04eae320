import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { handlers } from '../../../../../features/maple/program/cloud-handler/cloud-handler.api.ts'
import { HandlerList } from '../../../../../features/maple/program/cloud-handler/cloud-handler.list.tsx'
import { handlerList } from '../../../../../features/maple/program/cloud-handler/cloud-handler.search.ts'
import { prefetchList } from '../../../../../ui/table/prefetch-list.ts'

export const Route = createFileRoute('/_app/dashboard/maple/cloud_handlers/')({
  staticData: { title: msg`Cloud handlers` },
  validateSearch: handlerList.read,
  loaderDeps: ({ search }) => handlerList.deps(search),
  loader: ({ context, deps }) => prefetchList(handlers, context, deps),
  component: HandlerList,
})
