import { queryOptions, type InferDataFromTag, type QueryKey } from '@tanstack/react-query'
import { ApiProblem } from './problem.ts'
import { invalidate, queryClient } from './query-client.ts'

interface Item {
  id: string
}
interface Page<Row extends Item> {
  items: Row[]
}
type RowOf<Key extends QueryKey> =
  InferDataFromTag<never, Key> extends Page<infer Row> ? Row : never

/**
 * Queries for single items on top of a list call. `pageOf` filters the list by one ID; its key begins
 * with the service and the path, like those of `createApi`.
 */
export function itemsOf<Key extends QueryKey>(pageOf: (id: string) => { queryKey: Key }) {
  type Row = RowOf<Key>
  const [service, path] = pageOf('').queryKey as unknown as readonly [string, string]
  const pick = (id: string) => (page: Page<Row>) => {
    const found = page.items.find((item) => isSameId(item.id, id))
    if (!found) throw new ApiProblem({ code: 'not_found' }, 404)
    return found
  }
  const pageWith = (item: Row) => ({ items: [item], next: null, previous: null })
  const listed = (id: string) =>
    queryClient
      .getQueriesData<Page<Row>>({ queryKey: [service, path] })
      .flatMap(([, page]) => page?.items ?? [])
      .find((item) => item.id === id)

  const one = (id: string) =>
    queryOptions<Page<Row>, Error, Row>({
      ...pageOf(id),
      select: pick(id),
      // Shown until its own answer arrives.
      placeholderData: () => {
        const item = listed(id)
        return item && pageWith(item)
      },
    })

  return {
    /** One item by its ID; fails with `not_found` if there is none. */
    one,
    /** The item's current state on the service. */
    read: async (id: string) =>
      pick(id)(await queryClient.fetchQuery({ ...one(id), staleTime: 0 })),
    /** After a change: caches the saved item and refetches everything else. */
    refresh: (saved?: Row) => {
      // A third-party service may answer a change with a partial item, without its revision.
      if (!saved || ('revision' in saved && saved.revision === undefined))
        return invalidate(service, path)
      const { queryKey } = one(saved.id)
      queryClient.setQueryData(queryKey, pageWith(saved))
      return invalidate(service, path, { except: queryKey })
    },
  }
}

// An ID in the URL may have been typed by hand.
const isSameId = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
