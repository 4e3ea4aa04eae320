import type { Device } from '@grove/contract/maple/fleet/device'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../../session/api.ts'
import type { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { devices } from './device.api.ts'

/** Retires a device after a confirmation; `refusal` says why a device cannot be retired. */
export function useRetire(confirmed: ReturnType<typeof useConfirmed>) {
  const { t } = useLingui()
  return {
    refusal: ({ rights }: Device) =>
      rights.retire ? t`This device is retired, which is final.` : undefined,
    retire: ({ id, name, revision }: Device) =>
      confirmed({
        question: {
          title: t`Retire “${name}”?`,
          text: t`Retiring is final: the device can never be used again. Its history stays, and its secure elements stay attached until they are detached.`,
          action: t`Retire the device`,
          isDanger: true,
        },
        change: () => api.maple.delete('/api/maple/device', { query: { id }, ifMatch: revision }),
        done: () => t`“${name}” is retired.`,
        refresh: devices.refresh,
      }),
  }
}
