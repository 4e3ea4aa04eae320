import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { publishKeys } from '../../../../features/cedar/publish-key/publish-key.api.ts'
import { PublishKeyList } from '../../../../features/cedar/publish-key/publish-key.list.tsx'
import { publishKeyList } from '../../../../features/cedar/publish-key/publish-key.search.ts'
import { prefetchList } from '../../../../ui/table/prefetch-list.ts'

export const Route = createFileRoute('/_app/dashboard/cedar/keys')({
  staticData: { title: msg`Publish keys` },
  validateSearch: publishKeyList.read,
  loaderDeps: ({ search }) => publishKeyList.deps(search),
  loader: ({ context, deps }) => prefetchList(publishKeys, context, deps),
  component: PublishKeyList,
})
