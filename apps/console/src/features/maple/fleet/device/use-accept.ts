import type { Device } from '@grove/contract/maple/fleet/device'
import { canBecome } from '@grove/contract/maple/fleet/device.rules'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../../session/api.ts'
import { notify } from '../../../../ui/toast/notify.ts'
import { useWork } from '../../../../ui/toast/use-work.ts'
import { devices } from './device.api.ts'

export const isWaiting = ({ state }: Pick<Device, 'state'>): boolean =>
  state !== 'accepted' && canBecome(state, 'accepted')

/** Accepts a device without a confirmation: it can be put on hold again. */
export function useAccept() {
  const { t } = useLingui()
  const { isBusy, start } = useWork()
  const accept = ({ id, name, revision }: Device) =>
    start(async () => {
      try {
        await api.maple.put('/api/maple/device', {
          query: { id },
          ifMatch: revision,
          body: { state: 'accepted' },
        })
        notify({ text: t`“${name}” is accepted.` })
      } finally {
        // After a refusal too: what was shown is out of date.
        await devices.refresh()
      }
    })
  return { isBusy, accept }
}
