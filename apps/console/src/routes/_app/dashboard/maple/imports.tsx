import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { imports } from '../../../../features/maple/fleet/device-import/device-import.api.ts'
import { ImportList } from '../../../../features/maple/fleet/device-import/device-import.list.tsx'
import { importList } from '../../../../features/maple/fleet/device-import/device-import.search.ts'
import { prefetchList } from '../../../../ui/table/prefetch-list.ts'

export const Route = createFileRoute('/_app/dashboard/maple/imports')({
  staticData: { title: msg`Device imports` },
  validateSearch: importList.read,
  loaderDeps: ({ search }) => importList.deps(search),
  loader: ({ context, deps }) => prefetchList(imports, context, deps),
  component: ImportList,
})
