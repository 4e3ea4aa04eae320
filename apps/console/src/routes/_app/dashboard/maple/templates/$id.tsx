import { Trans } from '@lingui/react/macro'
import { createFileRoute } from '@tanstack/react-router'
import { oneTemplate } from '../../../../../features/maple/program/template/template.api.ts'
import { TemplatePage } from '../../../../../features/maple/program/template/template.page.tsx'
import { Missing } from '../../../../../ui/page/missing.tsx'
import { orMissing } from '../../../../../ui/page/or-missing.ts'

export const Route = createFileRoute('/_app/dashboard/maple/templates/$id')({
  loader: async ({ context: { queryClient }, params: { id } }) => {
    const { name } = await queryClient
      .ensureQueryData({ ...oneTemplate(id), revalidateIfStale: true })
      .catch(orMissing)
    return { title: name, crumb: name, parents: [] }
  },
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
  return <TemplatePage key={id} id={id} />
}
