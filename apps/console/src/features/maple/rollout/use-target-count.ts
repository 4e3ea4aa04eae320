import type { Rollout } from '@grove/contract/maple/rollout/rollout'
import { sumOf } from '@grove/contract/maple/rollout/rollout.rules'
import { useQuery } from '@tanstack/react-query'
import { countQuery, oneRollout } from './rollout.api.ts'

/** How many devices a rollout would start on now; undefined until known. */
export function useTargetCount({ targets, retries, rollsBack, rights }: Rollout) {
  const isAsked = rights.start === null
  const { filter, devices } = targets
  const isFiltered = filter !== undefined && retries === null && rollsBack === null
  const found = useQuery({
    ...countQuery((filter ?? {}) as Record<string, string>),
    enabled: isAsked && isFiltered,
    // The page must not show an outdated number.
    staleTime: 0,
    retry: false,
  })
  const undone = useQuery({
    ...oneRollout(rollsBack ?? ''),
    enabled: isAsked && rollsBack !== null,
    refetchInterval: false,
    retry: false,
  })
  if (rollsBack !== null) return undone.data && sumOf(undone.data.groups).succeeded
  if (retries !== null) return retries.count
  return isFiltered ? found.data?.count : devices?.length
}
