import type { DeviceConnection } from '@grove/contract/maple/connect/device-connection'
import { Plural, Trans } from '@lingui/react/macro'
import { TriangleAlert } from 'lucide-react'
import styles from './device.page.module.css'

/** Two devices share one secret, so each ends the other's connection. */
export function RivalsNotice({ rivals }: { rivals: NonNullable<DeviceConnection['rivals']> }) {
  const { times, ips } = rivals
  return (
    <output className={styles.notice}>
      <TriangleAlert size={16} aria-hidden />
      <div>
        <p>
          <strong>
            <Trans>Two devices seem to use one secret.</Trans>
          </strong>
        </p>
        <p>
          <Plural
            value={times}
            one="They interrupted each other # time in the last 15 minutes."
            other="They interrupted each other # times in the last 15 minutes."
          />{' '}
          <Trans>
            Addresses: <bdi>{ips.join(', ')}</bdi>.
          </Trans>
        </p>
        <p>
          <Trans>
            Register the second device and give it its own secret. If it is not yours, create a new
            secret for this device and revoke the current one.
          </Trans>
        </p>
      </div>
    </output>
  )
}
