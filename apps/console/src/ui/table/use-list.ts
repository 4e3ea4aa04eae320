import {
  keepPreviousData,
  useQuery,
  useQueryClient,
  type QueryKey,
  type UseQueryOptions,
} from '@tanstack/react-query'
import { largestPage } from '@grove/contract/page.rules'
import { isLacking } from '../../api/lacking.ts'
import type { ListDefinition, ListSearch, PageQuery } from './list-definition.ts'
import type { Filter } from './filter-bar.tsx'
import type { ReadIds } from './selection-bar.tsx'
import type { ListPage, ListView } from './types.ts'
import type { OnSearch } from './use-address.ts'
import { usePreferences } from './use-preferences.ts'

export interface ListResource<
  Sort extends string,
  Filters extends string,
  Page extends ListPage<unknown>,
  Key extends QueryKey,
> {
  list: ListDefinition<Sort, Filters>
  query: (page: PageQuery<Sort, Filters>) => UseQueryOptions<Page, Error, Page, Key>
  /** By default its `id`. */
  idOf?: (row: Page['items'][number]) => string
}

export interface FilterTexts<Name extends string> {
  name: Name
  label: string
  options: readonly { value: string; label: string }[]
  isSingle?: boolean
}

const idOfRow = (row: unknown) => (row as { id: string }).id

/** A list of the service by its URL: the rows, and what the table and its filters need. */
export function useList<
  Sort extends string,
  Name extends string,
  Page extends ListPage<unknown>,
  Key extends QueryKey,
>(
  { list, query, idOf = idOfRow }: ListResource<Sort, Name, Page, Key>,
  search: ListSearch<Sort, Name> & { edit?: true | undefined; create?: true | undefined },
  onSearch: OnSearch,
  { isEnabled = true }: { isEnabled?: boolean } = {},
) {
  const client = useQueryClient()
  // The page size is one of them: changing it fetches another page.
  usePreferences(list.name)
  const page = list.page(search)
  const asked = query(page)
  const result = useQuery({ ...asked, placeholderData: keepPreviousData, enabled: isEnabled })
  const { sort, order, cursor, hide, limit } = search
  const view: ListView = { sort: sort ?? list.defaultSort, order, cursor, hide, limit }
  const { q = '' } = search
  const filterOn = (change: object) => onSearch({ ...change, cursor: undefined })
  const noFilters = Object.fromEntries(['q', ...list.names].map((name) => [name, undefined]))
  const { sort: _sort, order: _order, cursor: _cursor, limit: _limit, ...filterOf } = page

  const rows: Page['items'] = result.data?.items ?? []
  const openId = list.item && (search as Record<string, string | undefined>)[list.item]
  const place = rows.findIndex((row) => idOf(row) === openId)
  const open = (id: string, isEditing = false) => onSearch(list.opened(id, isEditing))
  const openAt = (index: number): (() => void) | undefined => {
    const row = place < 0 ? undefined : rows[index]
    return row === undefined ? undefined : () => open(idOf(row))
  }
  const close = () => onSearch(list.opened(undefined))

  const readIds: ReadIds = async (after) => {
    const { cursor: _, count: __, ...first } = page
    const request = { ...first, limit: largestPage, ...(after && { cursor: after }) }
    // Not cached: nobody will read these pages again.
    const answer = await client.fetchQuery({
      ...query(request as PageQuery<Sort, Name>),
      gcTime: 0,
    })
    return { ids: answer.items.map(idOf), next: answer.next }
  }

  return {
    result,
    rows,
    open,
    close,
    /** Opens the form for a new item. */
    create: () => onSearch({ ...list.opened(undefined), create: true }),
    isCreating: search.create === true,
    /** Whether the service has the call that creates one; the key is the service and the path. */
    canCreate: !isLacking(`POST ${(asked.queryKey as readonly string[])[1]}`),
    /** The row whose panel is open, its form if it is being edited, and its neighbours. */
    panel:
      openId === undefined
        ? undefined
        : {
            id: openId,
            isEditing: search.edit === true,
            onEdit: (isEditing: boolean) => onSearch({ edit: isEditing || undefined }),
            onPrevious: openAt(place - 1),
            onNext: openAt(place + 1),
            onClose: close,
          },
    table: {
      readIds,
      name: list.name,
      sorts: list.sorts,
      allSorts: list.sorts,
      list: result,
      rowId: idOf,
      openRow: openId,
      onOpen: (row: Page['items'][number]) => open(idOf(row)),
      view,
      onView: onSearch,
      filterKey: JSON.stringify(filterOf),
      pageSize: page.limit,
      pageSizes: list.pageSizes,
      isFiltered: list.isFiltered(search),
      q,
      onClearFilters: () => filterOn(noFilters),
    },
    filterBar: (texts: readonly FilterTexts<Name>[]) => ({
      q,
      filters: texts.map((filter): Filter => ({
        ...filter,
        selected: list.knownOf(search, filter.name),
        unknown: list.unknownOf(search, filter.name),
      })),
      // The first letter and clearing the search add history entries; letters in between do not.
      onSearch: (text: string) =>
        onSearch(
          { q: text || undefined, cursor: undefined },
          { isTyping: q !== '' && text !== '' },
        ),
      onFilter: (name: string, values: string[]) =>
        filterOn({ [name]: values.length > 0 ? values : undefined }),
      onClear: () => filterOn(noFilters),
    }),
  }
}

/** What `useList` returns for a list of such rows. */
export type List<Row, Filter extends string> = Omit<
  ReturnType<typeof useList<string, Filter, ListPage<Row>, QueryKey>>,
  'result'
>
