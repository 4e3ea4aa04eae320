import type { DeviceSession } from '@grove/contract/maple/connect/device-session'
import type {
  DeviceSessionEnd,
  DeviceSessionState,
  MessageKind,
} from '@grove/contract/maple/connect/device-session.rules'
import { useLingui } from '@lingui/react/macro'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'

const stateKinds: Record<DeviceSessionState, StateKind> = {
  active: 'good',
  closed: 'ended',
  failed: 'bad',
  expired: 'idle',
}

export function useDeviceSessionWords() {
  const { t } = useLingui()
  const states: Record<DeviceSessionState, string> = {
    active: t({ message: 'Connected', context: 'a device' }),
    closed: t({ message: 'Closed', context: 'state of a session' }),
    failed: t({ message: 'Failed', context: 'state of a session' }),
    expired: t({ message: 'Expired', context: 'state of a session' }),
  }
  const ends: Record<DeviceSessionEnd, string> = {
    left: t`The device disconnected`,
    replaced: t`The device reconnected`,
    changed: t`Its secret or its state changed`,
    protocol: t`The device violated the protocol`,
    silent: t`The device was silent`,
    slow: t`The device stopped reading`,
    unavailable: t`The server was stopped`,
    lost: t`The server stopped answering`,
  }
  const kinds: Record<MessageKind, string> = {
    telemetry: t({ message: 'Telemetry', context: 'kind of a message' }),
    event: t({ message: 'Event', context: 'kind of a message' }),
    reported: t({ message: 'Reported state', context: 'kind of a message' }),
    result: t({ message: 'Result of a command', context: 'kind of a message' }),
    command: t({ message: 'Command', context: 'kind of a message' }),
    desired: t({ message: 'Desired state', context: 'kind of a message' }),
    bytes: t({ message: 'Payload', context: 'kind of a message' }),
  }
  const kindOf = (kind: string) => kinds[kind as MessageKind] ?? kind
  return { states, ends, kinds, kindOf }
}

export function DeviceSessionBadge({ state }: Pick<DeviceSession, 'state'>) {
  const { states } = useDeviceSessionWords()
  return <StateBadge kind={stateKinds[state]} text={states[state]} />
}
