import { useLingui } from '@lingui/react/macro'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiProblem } from '../../../api/problem.ts'
import { problemText } from '../../../api/problem-text.ts'
import { CopyableId } from '../../../ui/text/copyable-id.tsx'
import { SidePanel } from '../../../ui/panel/side-panel.tsx'
import { DeviceDetails } from './device-details.tsx'
import { deviceQuery, listedDevice } from './device.api.ts'
import { EditDevice } from './form/edit-device.tsx'

interface DevicePanelProps {
  id: string
  isEditing: boolean
  onEdit: (isEditing: boolean) => void
  onClose: () => void
}

/** One device: what it is, or its form. */
export function DevicePanel({ id, isEditing, onEdit, onClose }: DevicePanelProps) {
  const client = useQueryClient()
  const [hasEdited, setEdited] = useState(false)
  const {
    data: device,
    error,
    refetch,
    isPlaceholderData,
  } = useQuery({
    ...deviceQuery(id),
    placeholderData: () => listedDevice(client, id),
  })
  return (
    <SidePanel
      title={<bdi>{device?.name ?? id}</bdi>}
      subtitle={<CopyableId value={id} />}
      onClose={onClose}
    >
      {device && !(isEditing && isPlaceholderData) ? (
        isEditing ? (
          <EditDevice
            device={device}
            onEnd={() => {
              setEdited(true)
              onEdit(false)
            }}
          />
        ) : (
          <DeviceDetails device={device} hasEdited={hasEdited} onEdit={() => onEdit(true)} />
        )
      ) : error ? (
        <PanelFailure error={error} onRetry={() => void refetch()} onClose={onClose} />
      ) : (
        <PanelSkeleton />
      )}
    </SidePanel>
  )
}

interface PanelFailureProps {
  error: Error
  onRetry: () => void
  onClose: () => void
}

function PanelFailure({ error, onRetry, onClose }: PanelFailureProps) {
  const { i18n, t } = useLingui()
  const isMissing = error instanceof ApiProblem && error.code === 'not_found'
  // An id that no device can have is refused before it is looked for.
  const isImpossible = error instanceof ApiProblem && error.status === 400
  return (
    <div className="notice">
      <p role="alert">
        {isMissing || isImpossible ? t`There is no device with this id.` : problemText(error, i18n)}
      </p>
      {isMissing || isImpossible ? (
        <button type="button" className="button" onClick={onClose}>
          {t`Close`}
        </button>
      ) : (
        <button type="button" className="button" onClick={onRetry}>
          {t`Try again`}
        </button>
      )}
    </div>
  )
}

function PanelSkeleton() {
  const { t } = useLingui()
  return (
    <output className="page-skeleton" aria-label={t`Loading`}>
      <span className="skeleton" />
      <span className="skeleton" />
      <span className="skeleton" />
    </output>
  )
}
