import type { DeviceBulk } from '@grove/contract/maple/fleet/device-bulk'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '../../../../../session/api.ts'
import { BulkProgress, isEnded } from '../../../base/bulk-progress.tsx'
import { Link } from '../../../../../ui/link/link.tsx'
import { devices } from '../device.api.ts'

export function useBulkStates(): Record<DeviceBulk['state'], string> {
  const { t } = useLingui()
  return {
    queued: t`Waiting to start`,
    running: t`Changing devices`,
    completed: t`Devices are changed`,
    failed: t`The change failed`,
    cancelled: t`The change was cancelled`,
  }
}

interface BulkProgressDialogProps {
  bulk: DeviceBulk
  onClose: () => void
}

/** The progress of a change to everything a filter matches. */
export function BulkProgressDialog({ bulk: started, onClose }: BulkProgressDialogProps) {
  const { jobId } = started
  const params = { id: started.id }
  const {
    data: bulk,
    error,
    failureReason,
  } = useQuery({
    ...api.maple.query('/api/maple/device/bulk/{id}', { params }),
    initialData: started,
    refetchInterval: ({ state: { data } }) => (data && isEnded(data) ? false : 1000),
    staleTime: 0,
  })
  const hasEnded = isEnded(bulk)
  useEffect(() => {
    if (hasEnded) void devices.refresh()
  }, [hasEnded])
  const cancel = async () => {
    if (jobId !== null)
      await api.maple.post('/api/maple/job/{id}/cancel', { params: { id: jobId } })
  }
  return (
    <BulkProgress
      bulk={bulk}
      isLost={(error ?? failureReason) !== null}
      title={useBulkStates()[bulk.state]}
      hasResults={bulk.hasResults}
      note={
        <Trans>
          You can close this: the change continues.{' '}
          <Link to="/dashboard/maple/changes" search={{ change: started.id }}>
            Bulk changes
          </Link>{' '}
          shows it, and can revert it.
        </Trans>
      }
      onDownload={() => api.maple.download('/api/maple/device/bulk/{id}/csv', { params })}
      fileName="devices.csv"
      onCancel={cancel}
      onClose={onClose}
    />
  )
}
