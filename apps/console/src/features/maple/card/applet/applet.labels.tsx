import type { Applet } from '@grove/contract/maple/card/applet'
import type { AppletOperation, AppletTarget } from '@grove/contract/maple/card/applet-operation'
import type { AppletState } from '@grove/contract/maple/card/applet.rules'
import type {
  OperationKind,
  OperationStep,
  TargetState,
} from '@grove/contract/maple/card/applet-operation.rules'
import { useLingui } from '@lingui/react/macro'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'

const stateKinds: Record<AppletState, StateKind> = {
  uploaded: 'idle',
  verified: 'ready',
  released: 'good',
  revoked: 'ended',
}

export function useAppletStateWords(): Record<AppletState, string> {
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
  const states: Record<AppletOperation['state'], string> = {
    queued: t({ message: 'Waiting', context: 'an operation' }),
    running: t({ message: 'Running', context: 'an operation' }),
    completed: t({ message: 'Finished', context: 'an operation' }),
    failed: t({ message: 'Failed', context: 'an operation' }),
    cancelled: t({ message: 'Cancelled', context: 'an operation' }),
  }
  const targets: Record<TargetState, string> = {
    waiting: t({ message: 'Waiting', context: 'an element of an operation' }),
    running: t({ message: 'Running', context: 'an element of an operation' }),
    succeeded: t({ message: 'Succeeded', context: 'an element of an operation' }),
    unchanged: t({ message: 'Unchanged', context: 'an element of an operation' }),
    refused: t({ message: 'Refused', context: 'an element of an operation' }),
    failed: t({ message: 'Failed', context: 'an element of an operation' }),
    unknown: t({ message: 'Unknown', context: 'an element of an operation' }),
    cancelled: t({ message: 'Cancelled', context: 'an element of an operation' }),
  }
  const steps: Record<OperationStep, string> = {
    open: t`Opening a secure channel`,
    read: t`Reading the card`,
    delete: t`Deleting`,
    load: t`Loading the package`,
    install: t`Installing the applet`,
    check: t`Reading the result`,
  }
  return { kinds, states, targets, steps }
}

const targetKinds: Record<TargetState, StateKind> = {
  waiting: 'idle',
  running: 'waiting',
  succeeded: 'good',
  unchanged: 'ready',
  refused: 'warning',
  failed: 'bad',
  unknown: 'warning',
  cancelled: 'ended',
}

export function TargetStateBadge({ state }: Pick<AppletTarget, 'state'>) {
  const { targets } = useOperationWords()
  return <StateBadge kind={targetKinds[state]} text={targets[state]} />
}

const operationKinds: Record<AppletOperation['state'], StateKind> = {
  queued: 'idle',
  running: 'waiting',
  completed: 'good',
  failed: 'bad',
  cancelled: 'ended',
}

export function OperationStateBadge({ state, failed }: Pick<AppletOperation, 'state' | 'failed'>) {
  const { states } = useOperationWords()
  const kind = state === 'completed' && failed > 0 ? 'warning' : operationKinds[state]
  return <StateBadge kind={kind} text={states[state]} />
}
