import type { AccountBulk } from '@grove/contract/maple/access/account-bulk'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '../../../../session/api.ts'
import { BulkProgress, isEnded } from '../../base/bulk-progress.tsx'
import { accounts } from './account.api.ts'

interface Props {
  bulk: AccountBulk
  onClose: (ended: AccountBulk) => void
}

/** The progress of a bulk change of accounts. */
export function AccountBulkProgress({ bulk: started, onClose }: Props) {
  const { t } = useLingui()
  const params = { id: started.id }
  const {
    data: bulk,
    error,
    failureReason,
    refetch,
  } = useQuery({
    ...api.maple.query('/api/maple/account/bulk/{id}', { params }),
    initialData: started,
    refetchInterval: ({ state: { data } }) => (data && isEnded(data) ? false : 1000),
    staleTime: 0,
  })
  const hasEnded = isEnded(bulk)
  useEffect(() => {
    if (hasEnded) void accounts.refresh()
  }, [hasEnded])
  const cancel = async () => {
    await api.maple.post('/api/maple/account/bulk/{id}/cancel', { params })
    await refetch()
  }
  const title = {
    queued: t`Waiting to start`,
    running: t`Changing accounts`,
    completed: t`Accounts are changed`,
    failed: t`The change failed`,
    cancelled: t`The change was cancelled`,
  }[bulk.state]
  return (
    <BulkProgress
      bulk={bulk}
      isLost={(error ?? failureReason) !== null}
      title={title}
      hasResults
      note={<Trans>You can close this: the change continues.</Trans>}
      onDownload={() => api.maple.download('/api/maple/account/bulk/{id}/csv', { params })}
      fileName="accounts.csv"
      onCancel={cancel}
      onClose={() => onClose(bulk)}
    />
  )
}
