import { optional, textOf } from '../../ui/table/list-search.ts'

/** The state of the catalogue on the start page, as the URL holds it. */
export const catalogueSearch = (search: Record<string, unknown>) =>
  optional({
    q: textOf(search['q']),
    cursor: textOf(search['cursor'], 1024),
    /** The app whose details are open. */
    app: textOf(search['app']),
  })

export type CatalogueSearch = ReturnType<typeof catalogueSearch>

/** Where a new page of the catalogue begins. */
export const catalogueHeadingId = 'catalogue'
