import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { rollouts } from '../../../../../features/maple/rollout/rollout.api.ts'
import { RolloutList } from '../../../../../features/maple/rollout/rollout.list.tsx'
import { rolloutList, rolloutSearch } from '../../../../../features/maple/rollout/rollout.search.ts'

export const Route = createFileRoute('/_app/dashboard/maple/rollouts/')({
  staticData: { title: msg`Rollouts` },
  validateSearch: rolloutSearch,
  loaderDeps: ({ search }) => rolloutList.page(search),
  loader: ({ context: { queryClient }, deps }) =>
    void queryClient.prefetchQuery(rollouts.query(deps)),
  component: RolloutList,
})
