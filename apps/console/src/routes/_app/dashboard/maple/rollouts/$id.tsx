import { Trans } from '@lingui/react/macro'
import { createFileRoute } from '@tanstack/react-router'
import { oneRollout } from '../../../../../features/maple/rollout/rollout.api.ts'
import { RolloutPage } from '../../../../../features/maple/rollout/rollout.page.tsx'
import { rolloutPageSearch } from '../../../../../features/maple/rollout/rollout.search.ts'
import { Missing } from '../../../../../ui/page/missing.tsx'
import { orMissing } from '../../../../../ui/page/or-missing.ts'

export const Route = createFileRoute('/_app/dashboard/maple/rollouts/$id')({
  validateSearch: rolloutPageSearch,
  loader: async ({ context: { queryClient }, params: { id } }) => {
    const { name } = await queryClient
      .ensureQueryData({ ...oneRollout(id), revalidateIfStale: true })
      .catch(orMissing)
    return { title: name, crumb: name, parents: [] }
  },
  notFoundComponent: () => (
    <Missing
      title={<Trans>There is no such rollout</Trans>}
      text={<Trans>It was deleted, or it belongs to another provider.</Trans>}
      list="/dashboard/maple/rollouts"
      link={<Trans>Go to the rollouts</Trans>}
    />
  ),
  component: RolloutRoute,
})

function RolloutRoute() {
  const { id } = Route.useParams()
  return <RolloutPage key={id} id={id} search={Route.useSearch()} />
}
