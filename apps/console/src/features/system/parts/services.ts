import type { ServiceName } from '@grove/contract/call'
import { useLingui } from '@lingui/react/macro'
import { ApiProblem } from '../../../api/problem.ts'
import { oneOf } from '../../../ui/table/list-search.ts'

export const services = ['auth', 'cedar', 'maple'] as const satisfies ServiceName[]

/** The service in the URL; by default the first. */
export const serviceOf = (value: unknown): ServiceName => oneOf(services, value) ?? services[0]

export function useServiceNames(): Record<ServiceName, string> {
  const { t } = useLingui()
  return { auth: t`Authentication`, cedar: t`Cedar`, maple: t`Maple` }
}

/** A third-party service need not have jobs or events. */
export const isWithoutThem = (error: unknown) => error instanceof ApiProblem && error.status === 404
