import { artifactStates } from '@grove/contract/core/artifact.rules'
import { appletSorting } from '@grove/contract/maple/card/applet.rules'
import { defineList } from '../../../../ui/table/list-definition.ts'
import { optional, withOne } from '../../../../ui/table/list-search.ts'

export const appletList = defineList({
  name: 'maple.applet',
  item: 'applet',
  sorting: appletSorting,
  filters: { state: artifactStates },
  columns: ['version', 'packageAid', 'state', 'loadSize', 'createdAt'],
})

/** The query sent to the service. */
export const appletQuery = (page: ReturnType<typeof appletList.page>) =>
  withOne(page, 'state', artifactStates)

// Not imported from the package: the routes of every list of Maple would load its tables.
const isCplc = (text: string) => /^[0-9A-F]{84}$/.test(text)

export const appletPageSearch = ({ element }: Record<string, unknown>) =>
  optional({
    /** The CPLC of an element to install it on. */
    element: typeof element === 'string' && isCplc(element) ? element : undefined,
  })
export type AppletPageSearch = ReturnType<typeof appletPageSearch>
