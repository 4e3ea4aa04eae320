import type { Device } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../../session/api.ts'
import { ApiProblem } from '../../../../api/problem.ts'
import { queryClient } from '../../../../api/query-client.ts'
import { notify } from '../../../../ui/toast/notify.tsx'
import { deviceOf, deviceQuery, refreshDevices } from '../device.api.ts'
import { DeviceForm } from '../device.form.tsx'
import { changeOf, valuesOf, type DeviceValues } from './device-values.ts'

/** The form of a device. It keeps the values it opened with while newer answers arrive. */
export function EditDevice({ device, onEnd }: { device: Device; onEnd: () => void }) {
  const { t } = useLingui()
  const [base, setBase] = useState(device)
  const { id, revision } = base
  const initial = valuesOf(base)

  const save = useMutation({
    mutationFn: (values: DeviceValues) =>
      api.maple.put('/api/maple/device', {
        query: { id },
        ifMatch: revision,
        body: changeOf(initial, values) ?? {},
      }),
    onSuccess: (changed) => {
      void refreshDevices(changed)
      notify({ text: t`Saved.` })
      onEnd()
    },
  })

  const reload = async () => {
    setBase(deviceOf(await queryClient.fetchQuery({ ...deviceQuery(id), staleTime: 0 })))
    save.reset()
  }

  return (
    <DeviceForm
      key={revision}
      initial={initial}
      isNew={false}
      onSubmit={save.mutate}
      onCancel={onEnd}
      isSubmitting={save.isPending || save.isSuccess}
      submitError={save.error}
      submitLabel={t`Save`}
      isKeptBy={(search) => search['device'] === id && search['edit'] === true}
      remedy={
        save.error instanceof ApiProblem &&
        save.error.code === 'edit_conflict' && (
          <div className="actions">
            <button type="button" className="button" onClick={() => void reload()}>
              <Trans>Reload the device</Trans>
            </button>
          </div>
        )
      }
    />
  )
}
