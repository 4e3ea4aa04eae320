import type { ProviderKind, ProviderStage } from '@grove/contract/cedar/provider.rules'
import { useLingui } from '@lingui/react/macro'
import { StateBadge } from '../../../ui/text/state-badge.tsx'
import type { ProviderState } from './provider.search.ts'

interface ProviderWords {
  kind: Record<ProviderKind, string>
  stage: Record<ProviderStage, string>
  state: Record<ProviderState, string>
}

export function useProviderWords(): ProviderWords {
  const { t } = useLingui()
  return {
    kind: { organisation: t`Organisation`, personal: t`Personal` },
    stage: { DEV: t`Development`, TEST: t`Test`, PROD: t`Production` },
    state: {
      enabled: t({ message: 'Enabled', context: 'a provider' }),
      disabled: t({ message: 'Disabled', context: 'a provider' }),
    },
  }
}

export function ProviderStateBadge({ enabled }: { enabled: boolean }) {
  const { state } = useProviderWords()
  return (
    <StateBadge kind={enabled ? 'good' : 'ended'} text={enabled ? state.enabled : state.disabled} />
  )
}
