import {
  providerKinds,
  providerSorting,
  providerStages,
} from '@grove/contract/cedar/provider.rules'
import { defineList } from '../../../ui/table/list-definition.ts'

export const providerStates = ['enabled', 'disabled'] as const
export type ProviderState = (typeof providerStates)[number]

export const providerList = defineList({
  name: 'cedar.provider',
  item: 'provider',
  sorting: providerSorting,
  filters: { kind: providerKinds, stage: providerStages, state: providerStates },
  columns: ['owner', 'kind', 'stage', 'state', 'productCount', 'createdAt'],
})
