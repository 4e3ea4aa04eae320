import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { jobListQuery, jobQuery } from '../../../../features/system/job/job.api.ts'
import { JobList } from '../../../../features/system/job/job.list.tsx'
import { jobList, jobSearch } from '../../../../features/system/job/job.search.ts'

export const Route = createFileRoute('/_app/dashboard/system/jobs')({
  staticData: { title: msg`Jobs` },
  validateSearch: jobSearch,
  loaderDeps: ({ search }) => ({
    service: search.service,
    page: jobList.page(search),
    job: search.job,
  }),
  // Not awaited: the page shows its frame immediately and the table its skeleton.
  loader: ({ context: { queryClient, viewer }, deps: { service, page, job } }) => {
    // The shell tells a developer why the page is closed; a request would be refused.
    if (!viewer.isAdmin) return
    void queryClient.prefetchQuery(jobListQuery(service, page))
    if (job !== undefined) void queryClient.prefetchQuery(jobQuery(service, job))
  },
  component: JobList,
})
