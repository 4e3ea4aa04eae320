import type { DeviceConnection } from '@grove/contract/maple/connect/device-connection'
import { Trans, useLingui } from '@lingui/react/macro'
import { StateBadge, type StateKind } from '../../../ui/text/state-badge.tsx'

const kinds: Record<DeviceConnection['state'], StateKind> = {
  connected: 'good',
  away: 'idle',
  unknown: 'warning',
  never: 'waiting',
}

export function ConnectionBadge({ state }: { state: DeviceConnection['state'] }) {
  const { t } = useLingui()
  const words: Record<DeviceConnection['state'], string> = {
    connected: t({ message: 'Connected', context: 'a device' }),
    away: t({ message: 'Not connected', context: 'a device' }),
    unknown: t({ message: 'Unknown: its server is not responding', context: 'a device' }),
    never: t({ message: 'Never connected', context: 'a device' }),
  }
  return <StateBadge kind={kinds[state]} text={words[state]} />
}

/** Whether a connected device makes an element available to sessions. */
export function OfferBadge({ isOffered }: { isOffered: boolean }) {
  const { t } = useLingui()
  return isOffered ? (
    <StateBadge kind="good" text={t({ message: 'Reachable', context: 'a secure element' })} />
  ) : (
    <StateBadge
      kind="warning"
      text={t({ message: 'Not reachable', context: 'a secure element' })}
    />
  )
}

export const NotOffered = () => (
  <span className="muted">
    <Trans>The device is connected, but does not offer this element.</Trans>
  </span>
)
