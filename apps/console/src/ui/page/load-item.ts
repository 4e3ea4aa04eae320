import type { EnsureQueryDataOptions, QueryClient, QueryKey } from '@tanstack/react-query'
import { notFound } from '@tanstack/react-router'
import { orMissing } from './or-missing.ts'

/** For the loader of a page about one item: fetches it, and titles the page by it. */
export async function loadItem<Answer, Key extends QueryKey>(
  { queryClient }: { queryClient: QueryClient },
  query: EnsureQueryDataOptions<Answer, Error, Answer, Key>,
  nameOf: (answer: Answer) => string | undefined,
) {
  const found = { ...query, revalidateIfStale: true }
  const name = nameOf(await queryClient.ensureQueryData(found).catch(orMissing))
  if (name === undefined) throw notFound()
  return { title: name, crumb: name, parents: [] }
}
