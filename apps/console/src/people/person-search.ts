import { optional } from '../ui/table/list-search.ts'

/** Which panel is open beside a person's page. */
export const personSearch = (search: Record<string, unknown>) =>
  optional({
    /** The Maple account, or the form for a new one. */
    account: search['account'] === true || undefined,
    edit: search['edit'] === true || undefined,
    create: search['create'] === true || undefined,
  })
