import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { bulkList, bulks } from '../../../../features/maple/fleet/device-bulk/bulk.api.ts'
import { BulkList } from '../../../../features/maple/fleet/device-bulk/bulk.list.tsx'
import { prefetchList } from '../../../../ui/table/prefetch-list.ts'

export const Route = createFileRoute('/_app/dashboard/maple/changes')({
  staticData: { title: msg`Bulk changes` },
  validateSearch: bulkList.read,
  loaderDeps: ({ search }) => bulkList.deps(search),
  loader: ({ context, deps }) => prefetchList(bulks, context, deps),
  component: BulkList,
})
