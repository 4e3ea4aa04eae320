import { accountStates, maxEmailLength } from '@grove/contract/auth/account.rules'
import { defineList } from '../../../ui/table/list-definition.ts'

export const accountList = defineList({
  name: 'auth.account',
  item: 'account',
  filters: { state: accountStates },
  columns: ['name', 'roles', 'state', 'createdAt', 'lastUsedAt'],
  maxSearchLength: maxEmailLength,
})
