import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { services } from '../../../../features/maple/access/service/service.api.ts'
import { ServiceList } from '../../../../features/maple/access/service/service.list.tsx'
import {
  serviceList,
  serviceSearch,
} from '../../../../features/maple/access/service/service.search.ts'
import { prefetchList } from '../../../../ui/table/prefetch-list.ts'

export const Route = createFileRoute('/_app/dashboard/maple/providers')({
  staticData: { title: msg`Service Providers` },
  validateSearch: serviceSearch,
  loaderDeps: ({ search }) => serviceList.deps(search),
  loader: ({ context, deps }) => prefetchList(services, context, deps),
  component: ServiceList,
})
