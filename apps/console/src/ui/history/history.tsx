import { Trans, useLingui } from '@lingui/react/macro'
import { infiniteQueryOptions, type UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { problemText } from '../../api/problem-text.ts'
import { PartFailure } from '../failure/part-failure.tsx'
import { Pending } from '../page/pending.tsx'

/** A query for the pages of a history; each page brings the cursor of the next. */
export const historyQuery = <Page extends { next: string | null }>(
  queryKey: readonly unknown[],
  ask: (cursor: { cursor?: string }, signal: AbortSignal) => Promise<Page>,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => ask(pageParam ? { cursor: pageParam } : {}, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })

type Loading = Pick<
  UseInfiniteQueryResult,
  | 'error'
  | 'isPending'
  | 'refetch'
  | 'hasNextPage'
  | 'isFetchingNextPage'
  | 'isFetchNextPageError'
  | 'fetchNextPage'
>

interface HistoryProps {
  loading: Loading
  isEmpty: boolean
  /** Shown if there is no entry. */
  empty: ReactNode
  /** The list of entries. */
  children: ReactNode
}

/** The entries that are loaded, newest first, and a button for older ones. */
export function History({ loading, isEmpty, empty, children }: HistoryProps) {
  const { i18n } = useLingui()
  const { error, isPending, hasNextPage, isFetchingNextPage, isFetchNextPageError } = loading
  if (isPending) return <Pending />
  const older = () => void loading.fetchNextPage()
  return (
    <>
      {!isEmpty ? children : error === null && empty}
      {error !== null && !isFetchNextPageError && <PartFailure {...loading} />}
      {hasNextPage && (
        <p>
          {isFetchNextPageError && <span role="alert">{problemText(error, i18n)} </span>}
          {/* The same button, which keeps the focus. */}
          <button
            type="button"
            className="button"
            aria-disabled={isFetchingNextPage}
            onClick={isFetchingNextPage ? undefined : older}
          >
            {isFetchNextPageError ? <Trans>Try again</Trans> : <Trans>Show older</Trans>}
          </button>
        </p>
      )}
    </>
  )
}
