import { Trans } from '@lingui/react/macro'
import { createFileRoute } from '@tanstack/react-router'
import { scriptQuery } from '../../../../../features/maple/program/script/script.api.ts'
import { ScriptPage } from '../../../../../features/maple/program/script/script.page.tsx'
import { Missing } from '../../../../../ui/page/missing.tsx'
import { orMissing } from '../../../../../ui/page/or-missing.ts'

export const Route = createFileRoute('/_app/dashboard/maple/scripts/$id')({
  loader: async ({ context: { queryClient }, params: { id } }) => {
    const { name } = await queryClient
      .ensureQueryData({ ...scriptQuery(id), revalidateIfStale: true })
      .catch(orMissing)
    return { title: name, crumb: name, parents: [] }
  },
  notFoundComponent: () => (
    <Missing
      title={<Trans>There is no such script</Trans>}
      text={<Trans>It was deleted, or it belongs to another provider.</Trans>}
      list="/dashboard/maple/scripts"
      link={<Trans>Go to the scripts</Trans>}
    />
  ),
  component: ScriptRoute,
})

function ScriptRoute() {
  const { id } = Route.useParams()
  return <ScriptPage key={id} id={id} />
}
