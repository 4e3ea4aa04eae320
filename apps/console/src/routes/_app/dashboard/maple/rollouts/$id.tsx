import { Trans } from '@lingui/react/macro'
import { createFileRoute } from '@tanstack/react-router'
import { oneRollout } from '../../../../../features/maple/rollout/rollout.api.ts'
import { RolloutPage } from '../../../../../features/maple/rollout/rollout.page.tsx'
import { rolloutPageSearch } from '../../../../../features/maple/rollout/rollout.search.ts'
import { loadItem } from '../../../../../ui/page/load-item.ts'
import { Missing } from '../../../../../ui/page/missing.tsx'

export const Route = createFileRoute('/_app/dashboard/maple/rollouts/$id')({
  validateSearch: rolloutPageSearch,
  loader: ({ context, params: { id } }) => loadItem(context, oneRollout(id), ({ name }) => name),
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
