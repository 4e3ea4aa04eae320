import { sessionSorting, storedSessionStates } from '@grove/contract/maple/card/session.rules'
import { dayOf } from '../../../../ui/kit/day.ts'
import { defineList } from '../../../../ui/table/list-definition.ts'
import { oneOf, optional, textOf } from '../../../../ui/table/list-search.ts'

export const sessionList = defineList({
  name: 'maple.session',
  sorting: sessionSorting,
  filters: { state: storedSessionStates },
  columns: ['device', 'state', 'purpose', 'openedBy', 'exchanges', 'openedAt', 'duration'],
})
// Not imported from the package: the routes of every list of Maple would load its tables.
const cplcDigits = 84
const isCplc = (text: string) => /^[0-9A-F]{84}$/.test(text)

export const sessionSearch = (search: Record<string, unknown>) => {
  const cplc = textOf(search['cplc'], cplcDigits)?.toUpperCase()
  return optional({
    ...sessionList.read(search),
    cplc: cplc !== undefined && isCplc(cplc) ? cplc : undefined,
    device: textOf(search['device'], 100),
    openedBy: textOf(search['openedBy'], 200),
    /** Days in the reader's time zone, both inclusive. */
    from: dayOf(search['from']),
    to: dayOf(search['to']),
    create: search['create'] === true || undefined,
  })
}
export type SessionSearch = ReturnType<typeof sessionSearch>

/** The state of a session's page, so that a shared link opens at the same exchange. */
export const sessionPageSearch = (search: Record<string, unknown>) => {
  const exchange = Number(search['x'])
  return optional({
    /** The number of an exchange. */
    x: Number.isSafeInteger(exchange) && exchange > 0 ? exchange : undefined,
    only: oneOf(['failed'] as const, search['only']),
    bytes: oneOf(['wrapped'] as const, search['bytes']),
    q: textOf(search['q'], 200),
  })
}
