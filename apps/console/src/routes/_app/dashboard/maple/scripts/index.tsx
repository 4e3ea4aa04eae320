import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { scripts } from '../../../../../features/maple/program/script/script.api.ts'
import { ScriptList } from '../../../../../features/maple/program/script/script.list.tsx'
import { scriptList } from '../../../../../features/maple/program/script/script.search.ts'
import { prefetchList } from '../../../../../ui/table/prefetch-list.ts'

export const Route = createFileRoute('/_app/dashboard/maple/scripts/')({
  staticData: { title: msg`Scripts` },
  validateSearch: scriptList.read,
  loaderDeps: ({ search }) => scriptList.deps(search),
  loader: ({ context, deps }) => prefetchList(scripts, context, deps),
  component: ScriptList,
})
