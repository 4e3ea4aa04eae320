import { maxEmailLength } from '@grove/contract/auth/account.rules'
import { invitationStates } from '@grove/contract/auth/invitation.rules'
import { defineList } from '../../../ui/table/list-definition.ts'

export const invitationList = defineList({
  name: 'auth.invitation',
  item: 'invitation',
  filters: { state: invitationStates },
  columns: ['role', 'state', 'invitedBy', 'expiresAt', 'createdAt'],
  maxSearchLength: maxEmailLength,
})
