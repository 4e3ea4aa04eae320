import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { ActivityPage } from '../../../../features/cedar/activity/activity.page.tsx'
import { activitySearch } from '../../../../features/cedar/activity/activity.search.ts'

export const Route = createFileRoute('/_app/dashboard/cedar/activity')({
  staticData: { title: msg`Activity` },
  validateSearch: activitySearch,
  component: ActivityPage,
})
