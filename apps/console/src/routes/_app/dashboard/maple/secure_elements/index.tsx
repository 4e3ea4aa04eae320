import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { elements } from '../../../../../features/maple/card/element/element.api.ts'
import { ElementList } from '../../../../../features/maple/card/element/element.list.tsx'
import { elementList } from '../../../../../features/maple/card/element/element.search.ts'
import { prefetchList } from '../../../../../ui/table/prefetch-list.ts'

export const Route = createFileRoute('/_app/dashboard/maple/secure_elements/')({
  staticData: { title: msg`Secure elements` },
  validateSearch: elementList.read,
  loaderDeps: ({ search }) => elementList.deps(search),
  loader: ({ context, deps }) => prefetchList(elements, context, deps),
  component: ElementList,
})
