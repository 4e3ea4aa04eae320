import { useLingui } from '@lingui/react'
import { useMatches } from '@tanstack/react-router'

const titleIn = (data: unknown) =>
  typeof data === 'object' && data !== null && 'title' in data && typeof data.title === 'string'
    ? data.title
    : undefined

/** The page's own title: what its loader found, else what its route is called. */
export function usePageTitle(): string {
  const { i18n } = useLingui()
  const matches = useMatches()
  for (const { loaderData, staticData } of matches.toReversed()) {
    const found = titleIn(loaderData)
    if (found) return found
    const { title } = staticData
    // The words of a page that is on its way may not be here yet.
    if (title && title.id in i18n.messages) return i18n._(title)
  }
  return 'Grove'
}
