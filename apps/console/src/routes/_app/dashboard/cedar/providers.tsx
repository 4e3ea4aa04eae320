import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { providers } from '../../../../features/cedar/provider/provider.api.ts'
import { ProviderList } from '../../../../features/cedar/provider/provider.list.tsx'
import {
  providerList,
  providerSearch,
} from '../../../../features/cedar/provider/provider.search.ts'
import { prefetchList } from '../../../../ui/table/prefetch-list.ts'

export const Route = createFileRoute('/_app/dashboard/cedar/providers')({
  staticData: { title: msg`Providers` },
  validateSearch: providerSearch,
  loaderDeps: ({ search }) => providerList.deps(search),
  loader: ({ context, deps }) => prefetchList(providers, context, deps),
  component: ProviderList,
})
