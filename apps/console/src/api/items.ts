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
 * The queries of single items over a list call. `pageOf` asks the list for one id; its key begins
 * with the service and the path, as those of `createApi` do.
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
    /** One item by its id; fails with `not_found` if there is none. */
    one,
    /** What the service holds now. */
    read: async (id: string) =>
      pick(id)(await queryClient.fetchQuery({ ...one(id), staleTime: 0 })),
    /** After a change: caches the item that was saved and refetches everything else. */
    refresh: (saved?: Row) => {
      // Another's service may answer a change with less than the whole item: without its revision.
      if (!saved || ('revision' in saved && saved.revision === undefined))
        return invalidate(service, path)
      const { queryKey } = one(saved.id)
      queryClient.setQueryData(queryKey, pageWith(saved))
      return invalidate(service, path, { except: queryKey })
    },
  }
}

// An id in an address may have been typed.
const isSameId = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
