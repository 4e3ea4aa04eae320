import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { groups } from '../../../../features/maple/fleet/group/group.api.ts'
import { GroupList } from '../../../../features/maple/fleet/group/group.list.tsx'
import { groupList } from '../../../../features/maple/fleet/group/group.search.ts'
import { prefetchList } from '../../../../ui/table/prefetch-list.ts'

export const Route = createFileRoute('/_app/dashboard/maple/groups')({
  staticData: { title: msg`Device groups` },
  validateSearch: groupList.read,
  loaderDeps: ({ search }) => groupList.deps(search),
  loader: ({ context, deps }) => prefetchList(groups, context, deps),
  component: GroupList,
})
