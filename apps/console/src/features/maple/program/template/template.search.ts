import { templateSorting, templateStates } from '@grove/contract/maple/program/template.rules'
import { defineList } from '../../../../ui/table/list-definition.ts'
import { withOne } from '../../../../ui/table/list-search.ts'

export const templateList = defineList({
  name: 'maple.template',
  item: 'template',
  sorting: templateSorting,
  filters: { state: templateStates },
  columns: ['state', 'version', 'stepCount', 'updatedAt'],
})

/** The query sent to the service. */
export const templateQuery = (page: ReturnType<typeof templateList.page>) =>
  withOne(page, 'state', templateStates)
