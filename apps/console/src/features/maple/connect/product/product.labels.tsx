import type { ClaimCode } from '@grove/contract/maple/connect/device-connection'
import type { Device } from '@grove/contract/maple/fleet/device'
import type { MapleProduct } from '@grove/contract/maple/connect/product'
import type { MapleProductState } from '@grove/contract/maple/connect/product.rules'
import { useLingui } from '@lingui/react/macro'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'

const stateKinds: Record<MapleProductState, StateKind> = {
  development: 'waiting',
  production: 'good',
  endOfLife: 'ended',
}

export function useProductStateWords(): Record<MapleProductState, string> {
  const { t } = useLingui()
  return {
    development: t({ message: 'In development', context: 'a product' }),
    production: t({ message: 'In production', context: 'a product' }),
    endOfLife: t({ message: 'End of life', context: 'a product' }),
  }
}

export function ProductStateBadge({ state }: Pick<MapleProduct, 'state'>) {
  const words = useProductStateWords()
  return <StateBadge kind={stateKinds[state]} text={words[state]} />
}

/** What a product's state means for its devices. */
export function useStateMeanings(): Record<MapleProductState, string> {
  const { t } = useLingui()
  return {
    development: t`Devices can also get images that are only verified.`,
    production: t`Devices get only released images.`,
    endOfLife: t`New devices cannot connect. Existing devices keep working and can be updated.`,
  }
}

export function useDeviceStateWords(): Record<Device['state'], string> {
  const { t } = useLingui()
  return {
    pending: t({ message: 'Pending', context: 'devices of a product' }),
    accepted: t({ message: 'Accepted', context: 'devices of a product' }),
    online: t({ message: 'Online', context: 'devices of a product' }),
    offline: t({ message: 'Offline', context: 'devices of a product' }),
    quarantined: t({ message: 'To be accepted', context: 'devices of a product' }),
    retired: t({ message: 'Retired', context: 'devices of a product' }),
  }
}

export const deviceStateKinds: Record<Device['state'], StateKind> = {
  pending: 'waiting',
  accepted: 'ready',
  online: 'good',
  offline: 'idle',
  quarantined: 'warning',
  retired: 'ended',
}

export type CodeState = 'usable' | 'usedUp' | 'ended'

export const codeStateOf = (
  { uses, mostUses, expiresAt }: Pick<ClaimCode, 'uses' | 'mostUses' | 'expiresAt'>,
  now: number,
): CodeState => {
  if (uses >= mostUses) return 'usedUp'
  return Date.parse(expiresAt) <= now ? 'ended' : 'usable'
}

const codeKinds: Record<CodeState, StateKind> = { usable: 'good', usedUp: 'idle', ended: 'ended' }

export function CodeStateBadge({ state }: { state: CodeState }) {
  const { t } = useLingui()
  const words: Record<CodeState, string> = {
    usable: t({ message: 'Valid', context: 'a claim code' }),
    usedUp: t({ message: 'Used up', context: 'a claim code' }),
    ended: t({ message: 'Expired', context: 'a claim code' }),
  }
  return <StateBadge kind={codeKinds[state]} text={words[state]} />
}
