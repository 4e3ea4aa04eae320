import { Trans } from '@lingui/react/macro'
import { createFileRoute } from '@tanstack/react-router'
import { oneTemplate } from '../../../../../features/maple/program/template/template.api.ts'
import { TemplatePage } from '../../../../../features/maple/program/template/template.page.tsx'
import { loadItem } from '../../../../../ui/page/load-item.ts'
import { Missing } from '../../../../../ui/page/missing.tsx'

export const Route = createFileRoute('/_app/dashboard/maple/templates/$id')({
  validateSearch: ({ run }: Record<string, unknown>): { run?: string } =>
    typeof run === 'string' ? { run } : {},
  loader: ({ context, params: { id } }) => loadItem(context, oneTemplate(id), ({ name }) => name),
  notFoundComponent: () => (
    <Missing
      title={<Trans>There is no such template</Trans>}
      text={<Trans>It was deleted, or it belongs to another provider.</Trans>}
      list="/dashboard/maple/templates"
      link={<Trans>Go to the templates</Trans>}
    />
  ),
  component: TemplateRoute,
})

function TemplateRoute() {
  const { id } = Route.useParams()
  const { run } = Route.useSearch()
  return <TemplatePage key={id} id={id} runId={run} />
}
