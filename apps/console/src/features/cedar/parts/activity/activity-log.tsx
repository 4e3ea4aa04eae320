import { Trans, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { PersonFilter } from '../../../../people/person-filter.tsx'
import { useEventWords } from '../../../../ui/event/event.labels.tsx'
import { useSave } from '../../../../ui/file/use-save.ts'
import { History } from '../../../../ui/history/history.tsx'
import { DateRange } from '../../../../ui/kit/date-range.tsx'
import { FilterMenu } from '../../../../ui/table/filter-menu.tsx'
import { SearchBox } from '../../../../ui/table/search-box.tsx'
import {
  activityPages,
  exportActivity,
  type ActivityFilters,
  type ActivitySubject,
} from './activity.api.ts'
import styles from './activity-log.module.css'
import { ActivityRows } from './activity-rows.tsx'

interface ActivityLogProps {
  subject: ActivitySubject
  filters: ActivityFilters
  onFilters: (change: Partial<ActivityFilters>) => void
}

/** Events, newest first: who did what to what, when, and what changed. */
export function ActivityLog({ subject, filters, onFilters }: ActivityLogProps) {
  const { t } = useLingui()
  const { actionOf } = useEventWords()
  const loading = useInfiniteQuery({
    ...activityPages(subject, filters),
    placeholderData: keepPreviousData,
  })
  const { data } = loading
  const events = data?.pages.flatMap(({ items }) => items) ?? []
  const actions = data?.pages[0]?.actions ?? []
  const { q = '', actor, action, days } = filters
  const isFiltered = q !== '' || actor !== undefined || action !== undefined || days !== null

  const save = useSave()

  return (
    <div className={styles.log}>
      <div className={styles.tools}>
        <SearchBox
          label={t`Search by the ID of a person or an object`}
          value={q}
          onChange={(text) => onFilters({ q: text || undefined })}
        />
        <PersonFilter value={actor} onChange={(id) => onFilters({ actor: id })} />
        <FilterMenu
          label={t`Action`}
          options={actions.map((value) => ({ value, label: actionOf(value) }))}
          selected={action === undefined ? [] : [action]}
          isSingle
          onChange={([chosen]) => onFilters({ action: chosen })}
        />
        <DateRange label={t`When`} value={days} onChange={(next) => onFilters({ days: next })} />
        <button
          type="button"
          className="button"
          onClick={() => void save(() => exportActivity(subject, filters), 'activity.csv')}
        >
          <Download size={16} aria-hidden />
          <Trans>Export as CSV</Trans>
        </button>
      </div>
      <History
        loading={loading}
        isEmpty={events.length === 0}
        empty={
          <p className="muted">
            {isFiltered ? t`No matching events.` : t`Nothing has happened yet.`}
          </p>
        }
      >
        <ActivityRows events={events} />
      </History>
    </div>
  )
}
