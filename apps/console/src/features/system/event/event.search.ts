import { dayOf } from '../../../ui/kit/day.ts'
import { defineList } from '../../../ui/table/list-definition.ts'
import { optional, textOf } from '../../../ui/table/list-search.ts'
import { serviceOf } from '../parts/services.ts'

export const eventList = defineList({
  name: 'system.event',
  item: 'event',
  columns: ['actor', 'subject', 'ip'],
  maxSearchLength: 200,
})

export const eventSearch = (search: Record<string, unknown>) =>
  optional({
    ...eventList.read(search),
    service: serviceOf(search['service']),
    /** The user who acted. */
    actor: textOf(search['actor'], 200),
    /** One action, such as `product.update`. */
    action: textOf(search['action']),
    /** The bulk change whose parts are shown. */
    partOf: textOf(search['partOf'], 200),
    /** Days in the reader's time zone, both inclusive. */
    from: dayOf(search['from']),
    to: dayOf(search['to']),
  })

export type EventSearch = ReturnType<typeof eventSearch>
