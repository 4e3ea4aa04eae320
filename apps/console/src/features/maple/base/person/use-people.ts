import { useQueries } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { personQuery } from './person.api.ts'

// Where people are not ours, ids are no UUIDs, and a search by one finds nobody.
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const namesLastMs = 5 * 60_000

/** The people behind ids, as far as the reader may look them up: administrators may. */
export function usePeople(ids: readonly string[]) {
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const isViewer = (id: string) => id === viewer.userId
  const asked = [...new Set(ids)].filter((id) => viewer.isAdmin && !isViewer(id) && uuid.test(id))
  const found = useQueries({
    queries: asked.map((id) => ({ ...personQuery(id), staleTime: namesLastMs, retry: false })),
  })
  const personOf = (id: string) =>
    found[asked.indexOf(id)]?.data?.items.find((person) => person.id === id)
  return {
    isViewer,
    emailOf: (id: string) => personOf(id)?.email ?? undefined,
    nameOf: (id: string) => personOf(id)?.name ?? personOf(id)?.email ?? undefined,
  }
}
