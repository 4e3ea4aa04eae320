import { msg } from '@lingui/core/macro'
import { createFileRoute, useRouteContext } from '@tanstack/react-router'
import { approvals } from '../../../../features/maple/access/approval/approval.api.ts'
import { ApprovalList } from '../../../../features/maple/access/approval/approval.list.tsx'
import { approvalList } from '../../../../features/maple/access/approval/approval.search.ts'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { prefetchList } from '../../../../ui/table/prefetch-list.ts'

// From another service, so it loads separately.
const ProviderRequests = onDemand(
  () =>
    import('../../../../features/cedar/provider-request/provider-requests.tsx').then(
      (file) => file.ProviderRequests,
    ),
  'provider-request',
)

export const Route = createFileRoute('/_app/dashboard/maple/approvals')({
  staticData: { title: msg`Approvals` },
  validateSearch: approvalList.read,
  loaderDeps: ({ search }) => approvalList.deps(search),
  loader: ({ context, deps }) => prefetchList(approvals, context, deps),
  component: Page,
})

function Page() {
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  return <ApprovalList others={viewer.isAdmin && <ProviderRequests />} />
}
