import { Trans } from '@lingui/react/macro'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { useAddress } from '../../../ui/table/use-address.ts'
import { ActivityLog } from '../parts/activity/activity-log.tsx'
import { activitySearch, filtersOf } from './activity.search.ts'

const everything = {}

/** Events of the reader's own providers and apps; for an administrator, of everyone's. */
export function ActivityPage() {
  const { search, onSearch } = useAddress(activitySearch)
  return (
    <>
      <PageHeader
        title={<Trans>Activity</Trans>}
        description={<Trans>Who changed which provider, app or version, and when.</Trans>}
      />
      <ActivityLog
        subject={everything}
        filters={filtersOf(search)}
        onFilters={({ days, ...change }) =>
          onSearch(
            { ...change, ...(days !== undefined && { from: days?.from, to: days?.to }) },
            { isTyping: 'q' in change },
          )
        }
      />
    </>
  )
}
