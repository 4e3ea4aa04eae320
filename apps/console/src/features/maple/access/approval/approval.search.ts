import { approvalSorting, approvalStates } from '@grove/contract/maple/access/approval.rules'
import { defineList } from '../../../../ui/table/list-definition.ts'
import { withOne } from '../../../../ui/table/list-search.ts'

export const approvalList = defineList({
  name: 'maple.approval',
  item: 'request',
  sorting: approvalSorting,
  filters: { state: approvalStates },
  columns: ['element', 'state', 'approvals', 'requestedBy', 'createdAt', 'expiresAt'],
})

/** The query sent to the service, which takes one state. */
export const approvalQuery = (page: ReturnType<typeof approvalList.page>) =>
  withOne(page, 'state', approvalStates)
