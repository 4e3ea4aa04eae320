import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { templates } from '../../../../../features/maple/program/template/template.api.ts'
import { TemplateList } from '../../../../../features/maple/program/template/template.list.tsx'
import { templateList } from '../../../../../features/maple/program/template/template.search.ts'
import { prefetchList } from '../../../../../ui/table/prefetch-list.ts'

export const Route = createFileRoute('/_app/dashboard/maple/templates/')({
  staticData: { title: msg`Templates` },
  validateSearch: templateList.read,
  loaderDeps: ({ search }) => templateList.deps(search),
  loader: ({ context, deps }) => prefetchList(templates, context, deps),
  component: TemplateList,
})
