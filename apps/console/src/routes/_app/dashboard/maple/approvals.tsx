import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { approvals } from '../../../../features/maple/access/approval/approval.api.ts'
import { ApprovalList } from '../../../../features/maple/access/approval/approval.list.tsx'
import { approvalList } from '../../../../features/maple/access/approval/approval.search.ts'
import { prefetchList } from '../../../../ui/table/prefetch-list.ts'

export const Route = createFileRoute('/_app/dashboard/maple/approvals')({
  staticData: { title: msg`Approvals` },
  validateSearch: approvalList.read,
  loaderDeps: ({ search }) => approvalList.deps(search),
  loader: ({ context, deps }) => prefetchList(approvals, context, deps),
  component: ApprovalList,
})
