import { jobStates } from '@grove/contract/core/job.rules'
import { defineList } from '../../../ui/table/list-definition.ts'
import { optional } from '../../../ui/table/list-search.ts'
import { serviceOf } from '../parts/services.ts'

export const jobList = defineList({
  name: 'system.job',
  item: 'job',
  /** Without `kind`, the list leaves out recurring jobs. */
  filters: { state: jobStates, kind: ['recurring'] },
  columns: ['attempts', 'progress', 'failure', 'dueAt', 'createdAt'],
  hasCount: true,
})

export const jobSearch = (search: Record<string, unknown>) =>
  optional({
    ...jobList.read(search),
    service: serviceOf(search['service']),
  })
