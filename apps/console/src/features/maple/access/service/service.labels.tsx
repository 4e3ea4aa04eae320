import type { MapleService } from '@grove/contract/maple/access/service'
import type { ServiceState } from '@grove/contract/maple/access/service.rules'
import { useLingui } from '@lingui/react/macro'
import { StateBadge } from '../../../../ui/text/state-badge.tsx'

export function useServiceStateWords(): Record<ServiceState, string> {
  const { t } = useLingui()
  return {
    active: t({ message: 'Active', context: 'of a service provider' }),
    suspended: t({ message: 'Suspended', context: 'of a service provider' }),
  }
}

export function ServiceStateBadge({ state }: Pick<MapleService, 'state'>) {
  const words = useServiceStateWords()
  return <StateBadge kind={state === 'active' ? 'good' : 'warning'} text={words[state]} />
}
