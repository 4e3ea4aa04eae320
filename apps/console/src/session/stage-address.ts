import { workingProvider } from './working-provider.ts'

let isFollowed = false

/** How this page was opened. The router drops what it does not know from the address itself. */
function opened(): { search: string; isReload: boolean } {
  const [entry] = performance.getEntriesByType('navigation')
  const { type } = (entry ?? {}) as Partial<PerformanceNavigationTiming>
  const search = entry && URL.canParse(entry.name) ? new URL(entry.name).search : location.search
  return { search, isReload: type === 'reload' }
}

/**
 * The stage that the address of this page asks for, until it is followed once. A reload keeps what
 * was chosen since.
 */
export function stageOfAddress(userId: string | null): string | undefined {
  if (isFollowed) return undefined
  const { search, isReload } = opened()
  if (isReload && workingProvider(userId)) return undefined
  return new URLSearchParams(search).get('stage') ?? undefined
}

export const followStageOfAddress = () => {
  isFollowed = true
}
