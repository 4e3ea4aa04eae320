import { useNavigate, useSearch } from '@tanstack/react-router'

/** Changes the URL; `isTyping` replaces the last history entry instead of adding one. */
export type OnSearch = (change: object, options?: { isTyping?: boolean }) => void

/** A page's state, as its URL holds it. */
export function useAddress<Search extends object>(
  read: (search: Record<string, unknown>) => Search,
): { search: Search; onSearch: OnSearch } {
  const navigate = useNavigate()
  const search = read(useSearch({ strict: false }))
  return {
    search,
    onSearch: (change, { isTyping = false } = {}) =>
      void navigate({
        to: '.',
        search: (now) => read({ ...now, ...change }),
        replace: isTyping,
        resetScroll: false,
      }),
  }
}
