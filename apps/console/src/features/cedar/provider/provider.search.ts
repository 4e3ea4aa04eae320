import {
  providerKinds,
  providerSorting,
  providerStages,
} from '@grove/contract/cedar/provider.rules'
import { oneOf, optional } from '../../../ui/table/list-search.ts'
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

/** The tabs of a provider; its overview needs no name. */
export const providerTabs = ['overview', 'members', 'rights', 'activity'] as const
export type ProviderTab = (typeof providerTabs)[number]

export const providerTabSearch = (search: Record<string, unknown>) =>
  optional({ tab: oneOf(providerTabs, search['tab']) })

export const providerSearch = (search: Record<string, unknown>) => ({
  ...optional(providerList.read(search)),
  ...providerTabSearch(search),
})
