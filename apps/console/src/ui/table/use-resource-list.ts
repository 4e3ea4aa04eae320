import type { QueryKey } from '@tanstack/react-query'
import type { ListSearch } from './list-definition.ts'
import type { ListPage } from './types.ts'
import { useAddress } from './use-address.ts'
import { useList, type ListResource } from './use-list.ts'

interface Addressed<Sort extends string, Filter extends string> {
  list: { read: (search: Record<string, unknown>) => ListSearch<Sort, Filter> }
}

/** The list of a page whose URL holds that list's state and nothing else. */
export function useResourceList<
  Sort extends string,
  Filter extends string,
  Page extends ListPage<unknown>,
  Key extends QueryKey,
>(
  resource: ListResource<Sort, Filter, Page, Key> & Addressed<Sort, Filter>,
  options?: { isEnabled?: boolean },
) {
  const { search, onSearch } = useAddress(resource.list.read)
  return useList(resource, search, onSearch, options)
}
