import { optional } from '../ui/table/list-search.ts'

/** What is open beside the page of a person. */
export const personSearch = (search: Record<string, unknown>) =>
  optional({
    /** The Maple account, or the form of a new one. */
    account: search['account'] === true || undefined,
    edit: search['edit'] === true || undefined,
    create: search['create'] === true || undefined,
  })
