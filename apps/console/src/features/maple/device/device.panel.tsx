import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Archive, Pencil } from 'lucide-react'
import { PanelFailure, PanelSkeleton } from '../../../ui/panel/panel-body.tsx'
import { SidePanel, type SidePanelProps } from '../../../ui/panel/side-panel.tsx'
import { CopyableId } from '../../../ui/text/copyable-id.tsx'
import { DeviceDetails } from './device-details.tsx'
import { deviceQuery, listedDevice } from './device.api.ts'
import { EditDevice } from './form/edit-device.tsx'
import { useRetire } from './use-retire.tsx'
import { tooltip } from '../../../ui/kit/tooltip.ts'

interface DevicePanelProps extends Pick<SidePanelProps, 'onPrevious' | 'onNext' | 'onClose'> {
  id: string
  isEditing: boolean
  onEdit: (isEditing: boolean) => void
}

/** One device: its details, or its form. */
export function DevicePanel({ id, isEditing, onEdit, ...steps }: DevicePanelProps) {
  const { t } = useLingui()
  const { retire, refusal } = useRetire()
  const query = useQuery({
    ...deviceQuery(id),
    placeholderData: () => listedDevice(id),
  })
  const { data: device, error } = query
  // A form begins with the newest revision, so that its first save is no conflict.
  const isReady = device !== undefined && !(isEditing && query.isPlaceholderData)
  const reason = device && refusal(device)
  return (
    <SidePanel
      {...steps}
      title={<bdi>{device?.name ?? id}</bdi>}
      tabTitle={device?.name ?? id}
      subtitle={<CopyableId value={id} />}
      mode={isReady ? (isEditing ? 'form' : 'details') : undefined}
      actions={
        device &&
        !isEditing && (
          <>
            <button type="button" className="button" data-edit onClick={() => onEdit(true)}>
              <Pencil size={16} aria-hidden />
              <Trans>Edit</Trans>
            </button>
            <button
              type="button"
              className="button"
              aria-disabled={reason !== undefined}
              {...tooltip(reason)}
              onClick={() => void retire(device)}
            >
              <Archive size={16} aria-hidden />
              <Trans>Retire…</Trans>
            </button>
          </>
        )
      }
    >
      {isReady ? (
        isEditing ? (
          <EditDevice key={id} device={device} onEnd={() => onEdit(false)} />
        ) : (
          <DeviceDetails device={device} />
        )
      ) : error ? (
        <PanelFailure
          error={error}
          missing={t`There is no device with this id.`}
          onRetry={() => void query.refetch()}
          onClose={steps.onClose}
        />
      ) : (
        <PanelSkeleton />
      )}
    </SidePanel>
  )
}
