import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { readers } from '../../../../features/maple/card/reader/reader.api.ts'
import { ReaderList } from '../../../../features/maple/card/reader/reader.list.tsx'
import { readerList } from '../../../../features/maple/card/reader/reader.search.ts'
import { prefetchList } from '../../../../ui/table/prefetch-list.ts'

export const Route = createFileRoute('/_app/dashboard/maple/readers')({
  staticData: { title: msg`Card readers` },
  validateSearch: readerList.read,
  loaderDeps: ({ search }) => readerList.deps(search),
  loader: ({ context, deps }) => prefetchList(readers, context, deps),
  component: ReaderList,
})
