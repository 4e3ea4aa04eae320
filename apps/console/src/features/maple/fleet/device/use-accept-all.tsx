import type { DeviceBulk } from '@grove/contract/maple/fleet/device-bulk'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { api } from '../../../../session/api.ts'
import { confirm } from '../../../../ui/dialog/confirm.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { useWork } from '../../../../ui/toast/use-work.ts'
import { BulkProgressDialog } from './bulk/bulk-progress.tsx'
import { waiting, type DeviceScope } from './device.api.ts'

interface Waiting {
  scope: DeviceScope
  /** Restricts it to the devices of this product. */
  productId?: string
}

/** Accepts all devices that are waiting; there were `count` when last checked. */
export function useAcceptAll({ scope, productId, count }: Waiting & { count: number }) {
  const { t } = useLingui()
  const { isBusy, start } = useWork()
  const [bulk, setBulk] = useState<DeviceBulk>()

  const acceptAll = async () => {
    const agreed = await confirm({
      title: t`${plural(count, { one: 'Accept # device?', other: 'Accept # devices?' })}`,
      text:
        scope === 'all' && productId === undefined
          ? t`They belong to all service providers. From then on they can send data, and get commands and programs.`
          : t`From then on they can send data, and get commands and programs.`,
      action: t`${plural(count, { one: 'Accept # device', other: 'Accept # devices' })}`,
    })
    if (!agreed) return
    await start(async () =>
      setBulk(
        await api.maple.post('/api/maple/device/bulk', {
          body: {
            filter: { ...waiting, ...(productId !== undefined && { productId }) },
            action: 'accept',
          },
        }),
      ),
    )
  }

  const progress = bulk && <BulkProgressDialog bulk={bulk} onClose={() => setBulk(undefined)} />
  return { isBusy, acceptAll, progress }
}

/** Opens the list of the devices that are waiting. */
export const ReviewLink = ({ scope, productId, className }: Waiting & { className?: string }) => (
  <Link
    to={scope === 'all' ? '/dashboard/maple/devices' : '/dashboard/iot'}
    search={{ state: [waiting.state], ...(productId !== undefined && { productId: [productId] }) }}
    preload={false}
    {...(className && { className })}
  >
    <Trans>Review</Trans>
  </Link>
)
