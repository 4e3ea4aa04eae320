import type { Approval } from '@grove/contract/maple/access/approval'
import { queryOptions } from '@tanstack/react-query'
import { itemsOf } from '../../../../api/items.ts'
import { invalidate } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import { approvalList, approvalQuery } from './approval.search.ts'

const path = '/api/maple/approvals'
// Other people may decide meanwhile.
const liveMs = 3000

const items = itemsOf((id) => api.maple.query(path, { query: { id } }))
const isPending = ({ state }: Approval) => state === 'pending'
const refetchInterval = ({
  state: { data },
}: {
  state: { data?: { items: Approval[] } | undefined }
}) => (data?.items.some(isPending) ? liveMs : false)

export const approvals = {
  list: approvalList,
  query: (page: ReturnType<typeof approvalList.page>) =>
    queryOptions({ ...api.maple.query(path, { query: approvalQuery(page) }), refetchInterval }),
  one: (id: string) => queryOptions({ ...items.one(id), refetchInterval }),
  /** After a decision: elements show what awaits one. */
  refresh: (saved?: Approval) =>
    Promise.all([
      items.refresh(saved),
      invalidate('maple', '/api/maple/se/element'),
      invalidate('maple', '/api/maple/se/keys'),
    ]),
}

export interface Decision {
  isApproved: boolean
  comment: string
}

export const decide = (
  { id, revision }: Pick<Approval, 'id' | 'revision'>,
  { isApproved, comment }: Decision,
) =>
  api.maple.put(path, {
    query: { id },
    body: { isApproved, ...(comment.trim() !== '' && { comment }) },
    ifMatch: revision,
  })

export const withdraw = ({ id, revision }: Pick<Approval, 'id' | 'revision'>) =>
  api.maple.delete(path, { query: { id }, ifMatch: revision })
