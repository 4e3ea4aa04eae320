import type { Applet } from '@grove/contract/maple/card/applet'
import type { ArtifactState } from '@grove/contract/core/artifact.rules'
import type {
  OperationKind,
  OperationStep,
} from '@grove/contract/maple/card/applet-operation.rules'
import { useLingui } from '@lingui/react/macro'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'

const stateKinds: Record<ArtifactState, StateKind> = {
  uploaded: 'idle',
  verified: 'ready',
  released: 'good',
  revoked: 'ended',
}

export function useAppletStateWords(): Record<ArtifactState, string> {
  const { t } = useLingui()
  return {
    uploaded: t({ message: 'Uploaded', context: 'an applet' }),
    verified: t({ message: 'Verified', context: 'an applet' }),
    released: t({ message: 'Released', context: 'an applet' }),
    revoked: t({ message: 'Revoked', context: 'an applet' }),
  }
}

export function AppletStateBadge({ state }: Pick<Applet, 'state'>) {
  const words = useAppletStateWords()
  return <StateBadge kind={stateKinds[state]} text={words[state]} />
}

export function useOperationWords() {
  const { t } = useLingui()
  const kinds: Record<OperationKind, string> = {
    install: t({ message: 'Install', context: 'what is done with an applet' }),
    upgrade: t({ message: 'Upgrade', context: 'what is done with an applet' }),
    uninstall: t({ message: 'Uninstall', context: 'what is done with an applet' }),
    read: t({ message: 'Read the cards', context: 'what is done with an applet' }),
  }
  const steps: Record<OperationStep, string> = {
    open: t`Opening a secure channel`,
    read: t`Reading the card`,
    delete: t`Deleting`,
    load: t`Loading the package`,
    install: t`Installing the applet`,
    check: t`Reading the result`,
  }
  return { kinds, steps }
}
