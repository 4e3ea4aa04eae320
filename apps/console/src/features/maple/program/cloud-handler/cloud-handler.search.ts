import { handlerSorting, handlerStates } from '@grove/contract/maple/program/handler.rules'
import { defineList } from '../../../../ui/table/list-definition.ts'
import { optional, withOne } from '../../../../ui/table/list-search.ts'

export const handlerList = defineList({
  name: 'maple.cloud_handler',
  item: 'handler',
  sorting: handlerSorting,
  filters: { state: handlerStates },
  columns: ['trigger', 'state', 'version', 'lastRunAt', 'createdAt'],
})

/** The query sent to the service. */
export const handlerQuery = (page: ReturnType<typeof handlerList.page>) =>
  withOne(page, 'state', handlerStates)

export const handlerPageSearch = ({ run }: Record<string, unknown>) =>
  optional({
    /** The expanded run. */
    run: typeof run === 'string' && /^[0-9a-f-]{36}$/i.test(run) ? run : undefined,
  })
export type HandlerPageSearch = ReturnType<typeof handlerPageSearch>
