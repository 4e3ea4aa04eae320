import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { matchingOptions, type OptionSource } from './combobox-options.ts'

const typingPause = 200

const pause = (milliseconds: number) =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })

/** The options for what is typed. During a server search, those of the previous search stay. */
export function useOptions(source: OptionSource, query: string) {
  const id = useId()
  const search = typeof source === 'function' ? source : undefined
  const { data, isFetching, isError, refetch } = useQuery({
    queryKey: ['options', id, query],
    queryFn: async ({ signal }) => {
      if (query !== '') await pause(typingPause)
      signal.throwIfAborted()
      return search ? await search(query, signal) : []
    },
    enabled: search !== undefined,
    placeholderData: keepPreviousData,
    // Another reader's options must not outlive the panel.
    gcTime: 0,
    retry: false,
  })
  return typeof source === 'function'
    ? { options: data ?? [], isLoading: isFetching, hasFailed: isError && !isFetching, refetch }
    : { options: matchingOptions(source, query), isLoading: false, hasFailed: false, refetch }
}
