import { publishKeySorting } from '@grove/contract/cedar/publish-key.rules'
import { defineList } from '../../../ui/table/list-definition.ts'

export const publishKeyList = defineList({
  name: 'cedar.publish-key',
  item: 'key',
  sorting: publishKeySorting,
  filters: {},
  columns: ['providerId', 'ending', 'createdBy', 'lastUsedAt', 'expiresAt', 'createdAt'],
})
