import type { DeviceBulk } from '@grove/contract/maple/fleet/device-bulk'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { problemText } from '../../../../../api/problem-text.ts'
import { api } from '../../../../../session/api.ts'
import { Dialog } from '../../../../../ui/dialog/dialog.tsx'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import progressStyles from '../../../base/bulk-progress.module.css'
import styles from './bulk-dialog.module.css'
import { BulkProgressDialog, useBulkStates } from './bulk-progress.tsx'
import { useBulkWords } from './filter-bulk.tsx'

const limit = 20

/** The changes of whole filters, the newest first; each opens with its progress and results. */
export function BulkHistory({ onClose }: { onClose: () => void }) {
  const { t, i18n } = useLingui()
  const [opened, setOpened] = useState<DeviceBulk>()
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['maple', '/api/maple/device/bulk', 'history'],
    queryFn: ({ pageParam, signal }) =>
      api.maple.get('/api/maple/device/bulk', {
        query: { limit, ...(pageParam && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
  })
  if (opened) return <BulkProgressDialog bulk={opened} onClose={onClose} />
  const bulks = data?.pages.flatMap(({ items }) => items)
  return (
    <Dialog title={t`Bulk changes`} closeLabel={t`Close`} onClose={onClose}>
      <div className={progressStyles.content}>
        {error && <p role="alert">{problemText(error, i18n)}</p>}
        {bulks?.length === 0 && (
          <p className="muted">
            <Trans>No bulk changes yet.</Trans>
          </p>
        )}
        <ul className={styles.history}>
          {bulks?.map((bulk) => (
            <BulkRow key={bulk.id} bulk={bulk} onOpen={() => setOpened(bulk)} />
          ))}
        </ul>
        {hasNextPage && (
          <button
            type="button"
            className="button"
            aria-disabled={isFetchingNextPage}
            onClick={() => !isFetchingNextPage && void fetchNextPage()}
          >
            <Trans>Show older</Trans>
          </button>
        )}
      </div>
    </Dialog>
  )
}

function BulkRow({ bulk, onOpen }: { bulk: DeviceBulk; onOpen: () => void }) {
  const { t } = useLingui()
  const actions = useBulkWords()
  const states = useBulkStates()
  const { change, state, total, changed, createdAt, filter } = bulk
  const isCutShort = state === 'failed' || state === 'cancelled'
  const values = [change.tag, change.key, change.serviceId].filter(Boolean).join(' ')
  const conditions = Object.entries(filter)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
  return (
    <li>
      <button type="button" className="button quiet" onClick={onOpen}>
        {actions[change.action]} <bdi>{values}</bdi>
      </button>
      <span className="muted">
        {states[state]}
        {isCutShort && ` · ${t`${plural(changed, { one: '# changed', other: '# changed' })}`}`}
        {!isCutShort &&
          total !== null &&
          ` · ${t`${plural(total, { one: '# device', other: '# devices' })}`}`}
        {' · '}
        <DateText value={createdAt} isRelative />
      </span>
      <code className="muted">{conditions || t`All devices`}</code>
    </li>
  )
}
