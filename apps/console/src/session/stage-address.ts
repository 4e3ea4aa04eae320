import { isStagePage } from './stage-page.ts'
import { workingProvider } from './working-provider.ts'

let isFollowed = false
let isMissed = false

/** The URL that opened this page. The router removes unknown parameters from the address bar. */
function opened(): { search: string; pathname: string; isReload: boolean } {
  const [entry] = performance.getEntriesByType('navigation')
  const { type } = (entry ?? {}) as Partial<PerformanceNavigationTiming>
  const { search, pathname } = entry && URL.canParse(entry.name) ? new URL(entry.name) : location
  return { search, pathname, isReload: type === 'reload' }
}

/**
 * The stage that this page's URL asks for, until it is applied once. A reload keeps what was chosen
 * since.
 */
export function stageOfAddress(userId: string | null): string | undefined {
  if (isFollowed) return undefined
  const { search, isReload } = opened()
  if (isReload && workingProvider(userId)) return undefined
  return new URLSearchParams(search).get('stage') ?? undefined
}

/** @param isFound Whether the stage is one of the reader's; true if the URL asks for none. */
export const followStageOfAddress = (isFound: boolean) => {
  isFollowed = true
  // On other pages `stage` is a different parameter.
  if (!isFound) isMissed = isStagePage(opened().pathname)
}

/** Whether the URL asked for a stage that the reader does not have; true only once. */
export function takeMissedStage(): boolean {
  const wasMissed = isMissed
  isMissed = false
  return wasMissed
}
