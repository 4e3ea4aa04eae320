import type { SearchMiddleware, SearchSchemaInput } from '@tanstack/react-router'

// An interface is not assignable to a record of parameters.
export type DocsSearch = {
  /** The page of the dashboard that the reader came from. */
  from?: string
}

const isOfDashboard = (value: unknown): value is string =>
  typeof value === 'string' && /^\/dashboard(?![\w-])/.test(value)

const keepFrom: SearchMiddleware<DocsSearch> = ({ search, next }) => ({
  ...(isOfDashboard(search.from) && { from: search.from }),
  ...next(search),
})

/** Each guide passes on where the reader came from. */
export const docsSearch = {
  validateSearch: ({ from }: DocsSearch & SearchSchemaInput): DocsSearch =>
    isOfDashboard(from) ? { from } : {},
  search: { middlewares: [keepFrom] },
}
