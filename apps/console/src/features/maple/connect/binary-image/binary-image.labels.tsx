import type { BinaryImage } from '@grove/contract/maple/connect/binary-image'
import type { ArtifactState } from '@grove/contract/core/artifact.rules'
import type { KeyAlgorithm } from '@grove/contract/maple/connect/binary-image.rules'
import { useLingui } from '@lingui/react/macro'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'

const stateKinds: Record<ArtifactState, StateKind> = {
  uploaded: 'idle',
  verified: 'ready',
  released: 'good',
  revoked: 'ended',
}

export function useImageStateWords(): Record<ArtifactState, string> {
  const { t } = useLingui()
  return {
    uploaded: t({ message: 'Uploaded', context: 'an image of firmware' }),
    verified: t({ message: 'Verified', context: 'an image of firmware' }),
    released: t({ message: 'Released', context: 'an image of firmware' }),
    revoked: t({ message: 'Revoked', context: 'an image of firmware' }),
  }
}

export function ImageStateBadge({ state }: Pick<BinaryImage, 'state'>) {
  const words = useImageStateWords()
  return <StateBadge kind={stateKinds[state]} text={words[state]} />
}

export const algorithmNames: Record<KeyAlgorithm, string> = {
  'ecdsa-p256': 'ECDSA P-256',
  'rsa-2048': 'RSA-2048 PSS',
  ed25519: 'Ed25519',
}
