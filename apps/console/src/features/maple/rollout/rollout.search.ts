import {
  executionStates,
  programKinds,
  rolloutSorting,
  rolloutStates,
} from '@grove/contract/maple/rollout/rollout.rules'
import { defineList } from '../../../ui/table/list-definition.ts'
import { oneOf, optional, textOf, withOne } from '../../../ui/table/list-search.ts'

export const rolloutList = defineList({
  name: 'maple.rollout',
  sorting: rolloutSorting,
  filters: { state: rolloutStates, kind: programKinds },
  columns: ['program', 'state', 'progress', 'devices', 'createdAt'],
})

/** The query sent to the service. */
export const rolloutQuery = (page: ReturnType<typeof rolloutList.page>) =>
  withOne(withOne(page, 'state', rolloutStates), 'kind', programKinds)

/** `brings`, `program` and `product`: the initial values for the form of a new rollout. */
export const rolloutSearch = (search: Record<string, unknown>) =>
  optional({
    ...rolloutList.read(search),
    create: search['create'] === true || undefined,
    brings: oneOf(programKinds, search['brings']),
    program: textOf(search['program'], 36),
    product: textOf(search['product'], 36),
  })

/** Which devices the page of a rollout shows, so that a shared link shows the same. */
export const rolloutPageSearch = (search: Record<string, unknown>) => {
  // The URL holds it as text, a link as a number.
  const group = /^\d{1,4}$/.exec(String(search['group']))?.[0]
  return optional({
    state: oneOf(executionStates, search['state']),
    cause: textOf(search['cause'], 200),
    group: group === undefined ? undefined : Number(group),
    cursor: textOf(search['cursor'], 500),
  })
}
export type RolloutPageSearch = ReturnType<typeof rolloutPageSearch>
