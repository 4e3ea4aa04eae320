import type { AppletOperation } from '@grove/contract/maple/card/applet-operation'
import type { TargetState } from '@grove/contract/maple/card/applet-operation.rules'
import { useLingui } from '@lingui/react/macro'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'

type BatchState = AppletOperation['state']

const batchKinds: Record<BatchState, StateKind> = {
  queued: 'idle',
  running: 'waiting',
  completed: 'good',
  failed: 'bad',
  cancelled: 'ended',
}

interface BatchStateBadgeProps {
  state: BatchState
  /** The elements where it failed. */
  failed: number
}

/** The progress of an operation on many elements. */
export function BatchStateBadge({ state, failed }: BatchStateBadgeProps) {
  const { t } = useLingui()
  const words: Record<BatchState, string> = {
    queued: t({ message: 'Waiting', context: 'an operation' }),
    running: t({ message: 'Running', context: 'an operation' }),
    completed: t({ message: 'Finished', context: 'an operation' }),
    failed: t({ message: 'Failed', context: 'an operation' }),
    cancelled: t({ message: 'Cancelled', context: 'an operation' }),
  }
  const kind = state === 'completed' && failed > 0 ? 'warning' : batchKinds[state]
  return <StateBadge kind={kind} text={words[state]} />
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

/** The result on one element. */
export function TargetStateBadge({ state }: { state: TargetState }) {
  const { t } = useLingui()
  const words: Record<TargetState, string> = {
    waiting: t({ message: 'Waiting', context: 'an element of an operation' }),
    running: t({ message: 'Running', context: 'an element of an operation' }),
    succeeded: t({ message: 'Succeeded', context: 'an element of an operation' }),
    unchanged: t({ message: 'Unchanged', context: 'an element of an operation' }),
    refused: t({ message: 'Refused', context: 'an element of an operation' }),
    failed: t({ message: 'Failed', context: 'an element of an operation' }),
    unknown: t({ message: 'Unknown', context: 'an element of an operation' }),
    cancelled: t({ message: 'Cancelled', context: 'an element of an operation' }),
  }
  return <StateBadge kind={targetKinds[state]} text={words[state]} />
}
