import type { Device } from '@grove/contract/maple/fleet/device'
import { icSerial } from '@grove/secure-element/cplc'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link2 } from 'lucide-react'
import { api } from '../../../../../session/api.ts'
import { useConfirmed } from '../../../../../ui/dialog/use-confirmed.ts'
import { CopyableId } from '../../../../../ui/text/copyable-id.tsx'
import { devices } from '../device.api.ts'
import { cplcsIn } from './elements-of.ts'
import styles from './element-card.module.css'

/** Elements that a device offers but that are not attached to it: sessions cannot reach them. */
export function UnattachedElements({
  device,
  offered,
}: {
  device: Device
  offered: readonly string[]
}) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const { id, name, revision } = device
  const own = cplcsIn(device)
  const attach = (cplc: string) => {
    const serial = icSerial(cplc)
    return confirmed({
      question: {
        title: t`Attach element ${serial} to “${name}”?`,
        text: t`Sessions can then reach the element through this device.`,
        action: t`Attach`,
      },
      change: () =>
        api.maple.put('/api/maple/device', {
          query: { id },
          body: { cplc: [...own, cplc] },
          ifMatch: revision,
        }),
      done: () => t`Element ${serial} is attached.`,
      refresh: devices.refresh,
    })
  }
  return offered
    .filter((cplc) => !own.includes(cplc))
    .map((cplc) => (
      <div key={cplc} className={`${styles.card} ${styles.unattached}`}>
        <p>
          <Trans>
            The device offers an element that is not attached to it, so sessions cannot reach it:
          </Trans>
        </p>
        <CopyableId value={cplc} />
        <button type="button" className="button small" onClick={() => void attach(cplc)}>
          <Link2 size={14} aria-hidden />
          <Trans>Attach…</Trans>
        </button>
      </div>
    ))
}
