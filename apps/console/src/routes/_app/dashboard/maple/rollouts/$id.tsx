import { createFileRoute, notFound } from '@tanstack/react-router'
import { ApiProblem } from '../../../../../api/problem.ts'
import { MissingRollout } from '../../../../../features/maple/rollout/missing-rollout.tsx'
import { oneRollout } from '../../../../../features/maple/rollout/rollout.api.ts'
import { RolloutPage } from '../../../../../features/maple/rollout/rollout.page.tsx'
import { rolloutPageSearch } from '../../../../../features/maple/rollout/rollout.search.ts'

export const Route = createFileRoute('/_app/dashboard/maple/rollouts/$id')({
  validateSearch: rolloutPageSearch,
  loader: async ({ context: { queryClient }, params: { id } }) => {
    const { name } = await queryClient
      .ensureQueryData({ ...oneRollout(id), revalidateIfStale: true })
      .catch((error: unknown) => {
        throw error instanceof ApiProblem && [400, 404].includes(error.status) ? notFound() : error
      })
    return { title: name, crumb: name, parents: [] }
  },
  notFoundComponent: MissingRollout,
  component: RolloutRoute,
})

function RolloutRoute() {
  const { id } = Route.useParams()
  return <RolloutPage key={id} id={id} search={Route.useSearch()} />
}
