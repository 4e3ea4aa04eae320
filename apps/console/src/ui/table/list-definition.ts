import { maxCursorLength, orders, type Sorting } from '@grove/contract/page.rules'
import { manyOf, oneOf, optional, textOf, valuesOf } from './list-search.ts'
import { pageSizeOf, pageSizes as usualSizes } from './list-preferences.ts'
import type { ListView, Order } from './types.ts'

interface ListRules<
  Sort extends string,
  Filter extends string,
  Column extends string,
  Item extends string,
> {
  /** The key of its preferences in this browser, such as `maple.device`. */
  name: string
  /** What the service can sort by; without it, rows come in the service's own order. */
  sorting?: Sorting<Sort>
  /** The values of each filter, or a predicate for values that only the service knows, such as IDs. */
  filters?: Record<Filter, readonly string[] | ((value: string) => boolean)>
  /** The columns that can be hidden. */
  columns: readonly Column[]
  /** The page sizes to choose from. */
  pageSizes?: readonly number[]
  /** The service can count what a filter matches. */
  hasCount?: boolean
  maxSearchLength?: number
  /**
   * The search parameter with the ID of the row in the side panel. With `edit`, the panel shows its
   * form; with `create`, the form for a new one.
   */
  item?: Item
}

export type ListSearch<Sort extends string, Filter extends string> = ListView & {
  sort?: Sort | undefined
  q?: string | undefined
} & Partial<Record<Filter, string[] | undefined>>

// The router wants an object type whose members are all known.
type Flat<T> = { [K in keyof T]: T[K] }

type ItemSearch<Item extends string> = Partial<Record<Item, string | undefined>> & {
  edit?: true | undefined
  create?: true | undefined
}

/** The query sent to the service; the values of a filter are separated by commas. */
export type PageQuery<Sort extends string, Filter extends string> = {
  q?: string
  sort?: Sort
  order?: Order
  cursor?: string
  limit: number
  count?: boolean
} & Partial<Record<Filter, string>>

export type ListDefinition<Sort extends string, Filter extends string> = Omit<
  ReturnType<typeof defineList<Sort, Filter, string, string>>,
  'read'
>

/** A list's state in the URL, and the request that follows from it. */
export function defineList<
  Sort extends string = never,
  Filter extends string = never,
  Column extends string = never,
  Item extends string = never,
>(rules: ListRules<Sort, Filter, Column, Item>) {
  const { sorting, pageSizes = usualSizes } = rules
  const filters = rules.filters ?? ({} as Record<Filter, readonly string[]>)
  const sorts: readonly Sort[] = sorting?.by ?? []
  const names = Object.keys(filters) as Filter[]
  const each = <Value>(value: (name: Filter) => Value) =>
    Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Filter, Value>
  const knownOf = (search: ListSearch<Sort, Filter>, name: Filter) => {
    const known = filters[name]
    return typeof known === 'function'
      ? (valuesOf(search[name]) ?? []).filter((value) => known(value))
      : (manyOf(known, search[name]) ?? [])
  }

  return {
    ...rules,
    sorts,
    defaultSort: sorting?.default,
    pageSizes,
    names,
    knownOf,
    /** Values in the URL that the filter does not have. */
    unknownOf: (search: ListSearch<Sort, Filter>, name: Filter) => {
      const known = knownOf(search, name)
      return (valuesOf(search[name]) ?? []).filter((value) => !known.includes(value))
    },

    /** Unknown values stay in the URL, so that the page can report them. */
    read: (search: Record<string, unknown>) =>
      optional({
        sort: oneOf(sorts, search['sort']),
        order: oneOf(orders, search['order']),
        cursor: textOf(search['cursor'], maxCursorLength),
        hide: manyOf(rules.columns, search['hide']),
        limit: pageSizes.find((size) => String(size) === textOf(search['limit'])),
        q: textOf(search['q'], rules.maxSearchLength),
        ...each((name) => valuesOf(search[name])),
        ...(rules.item && {
          [rules.item]: textOf(search[rules.item]),
          edit: search['edit'] === true || undefined,
          create: search['create'] === true || undefined,
        }),
      }) as Flat<ListSearch<Sort, Filter> & ItemSearch<Item>>,

    /** What a page's loader needs from the URL. */
    deps(search: ListSearch<Sort, Filter>) {
      const item = rules.item && (search as Record<string, string | undefined>)[rules.item]
      return { page: this.page(search), item }
    },

    /** Opens the panel of a row, and closes whatever else the panel shows. */
    opened: (id: string | undefined, isEditing = false) => ({
      ...(rules.item && { [rules.item]: id }),
      edit: isEditing || undefined,
      create: undefined,
    }),

    page(search: ListSearch<Sort, Filter>): PageQuery<Sort, Filter> {
      const { q, sort = sorting?.default, order, cursor } = search
      const chosen = Object.entries(each((name) => knownOf(search, name).join(',')))
      return {
        ...Object.fromEntries(chosen.filter(([, values]) => values !== '')),
        ...(q !== undefined && { q }),
        ...(sort !== undefined && { sort }),
        ...(order !== undefined && { order }),
        ...(cursor !== undefined && { cursor }),
        limit: pageSizeOf(rules.name, search.limit, pageSizes),
        ...(rules.hasCount && { count: true }),
      } as PageQuery<Sort, Filter>
    },

    isFiltered: (search: ListSearch<Sort, Filter>) =>
      search.q !== undefined || names.some((name) => search[name] !== undefined),
  }
}
