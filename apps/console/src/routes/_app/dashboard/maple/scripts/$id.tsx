import { createFileRoute, notFound } from '@tanstack/react-router'
import { ApiProblem } from '../../../../../api/problem.ts'
import { MissingScript } from '../../../../../features/maple/script/missing-script.tsx'
import { scriptQuery } from '../../../../../features/maple/script/script.api.ts'
import { ScriptPage } from '../../../../../features/maple/script/script.page.tsx'

export const Route = createFileRoute('/_app/dashboard/maple/scripts/$id')({
  loader: async ({ context: { queryClient }, params: { id } }) => {
    const { name } = await queryClient
      .ensureQueryData({ ...scriptQuery(id), revalidateIfStale: true })
      .catch((error: unknown) => {
        throw error instanceof ApiProblem && [400, 404].includes(error.status) ? notFound() : error
      })
    return { title: name, crumb: name, parents: [] }
  },
  notFoundComponent: MissingScript,
  component: ScriptRoute,
})

function ScriptRoute() {
  const { id } = Route.useParams()
  return <ScriptPage key={id} id={id} />
}
