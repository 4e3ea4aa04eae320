import type { Device } from '@grove/contract'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../session/api.ts'
import { problemText } from '../../../api/problem-text.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { devices } from './device.api.ts'

/** Retires a device after a question; `refusal` says why one cannot be. */
export function useRetire() {
  const { i18n, t } = useLingui()
  const refusal = ({ rights }: Device) =>
    rights.retire ? t`This device is retired, which is final.` : undefined

  const retire = async (device: Device) => {
    const { id, name, revision } = device
    if (refusal(device) !== undefined) return
    const agreed = await confirm({
      title: t`Retire “${name}”?`,
      text: t`Retired is final: the device can never be used again. Its history stays, and its secure elements stay attached until they are detached.`,
      action: t`Retire the device`,
      isDanger: true,
    })
    if (!agreed) return
    try {
      await api.maple.delete('/api/maple/device', { query: { id }, ifMatch: revision })
      notify({ text: t`“${name}” is retired.` })
    } catch (error) {
      notify({ kind: 'failure', text: problemText(error, i18n) })
    }
    // After a refusal too: what was shown is out of date.
    await devices.refresh()
  }
  return { retire, refusal }
}
