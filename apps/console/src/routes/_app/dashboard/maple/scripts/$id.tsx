import { Trans } from '@lingui/react/macro'
import { createFileRoute, notFound } from '@tanstack/react-router'
import { ApiProblem } from '../../../../../api/problem.ts'
import { scriptQuery } from '../../../../../features/maple/script/script.api.ts'
import { ScriptPage } from '../../../../../features/maple/script/script.page.tsx'
import { Missing } from '../../../../../ui/page/missing.tsx'

export const Route = createFileRoute('/_app/dashboard/maple/scripts/$id')({
  loader: async ({ context: { queryClient }, params: { id } }) => {
    const { name } = await queryClient
      .ensureQueryData({ ...scriptQuery(id), revalidateIfStale: true })
      .catch((error: unknown) => {
        throw error instanceof ApiProblem && [400, 404].includes(error.status) ? notFound() : error
      })
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
