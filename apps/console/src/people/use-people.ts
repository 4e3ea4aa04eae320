import { useQueries } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { isUuid } from '@grove/auth-client/rules'
import { personQuery } from './person.api.ts'

/** The people behind IDs, as far as the reader may look them up: administrators may. */
export function usePeople(ids: readonly string[], { isWithViewer = false } = {}) {
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const isViewer = (id: string) => id === viewer.userId
  // If accounts are kept elsewhere, IDs need not be UUIDs, and looking up others finds nobody.
  const asked = [...new Set(ids)].filter(
    (id) => viewer.isAdmin && isUuid(id) && (isWithViewer || !isViewer(id)),
  )
  const found = useQueries({ queries: asked.map((id) => personQuery(id.toLowerCase())) })
  const personOf = (id: string) => found[asked.indexOf(id)]?.data
  return {
    isViewer,
    /** It was looked up, and no account has it. */
    isFormer: (id: string) => personOf(id) === null,
    emailOf: (id: string) => personOf(id)?.email ?? undefined,
    nameOf: (id: string) => personOf(id)?.name ?? personOf(id)?.email ?? undefined,
  }
}
