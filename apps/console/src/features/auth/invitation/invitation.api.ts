import { invitationStates } from '@grove/contract/auth/invitation.rules'
import { itemsOf } from '../../../api/items.ts'
import { api } from '../../../session/api.ts'
import { withOne } from '../../../ui/table/list-search.ts'
import { invitationList } from './invitation.search.ts'

export const path = '/api/admin/invitation'

export const invitations = {
  list: invitationList,
  query: (page: ReturnType<typeof invitationList.page>) =>
    api.auth.query(path, { query: withOne(page, 'state', invitationStates) }),
  ...itemsOf((id) => api.auth.query(path, { query: { id } })),
}
