import { defineList } from '../../../ui/table/list-definition.ts'
import { optional } from '../../../ui/table/list-search.ts'

export const versionList = defineList({
  name: 'cedar.version',
  columns: ['state', 'locales', 'size', 'enabledAt', 'updatedAt', 'action'],
})

/** The list of versions on an app's page, as the URL holds it. */
export const versionSearch = (search: Record<string, unknown>) => {
  const { cursor, hide, limit } = versionList.read(search)
  return optional({
    cursor,
    hide,
    limit,
    /** Opens the form for a new version. */
    create: search['create'] === true || undefined,
  })
}

export type VersionSearch = ReturnType<typeof versionSearch>
