import type { Viewer } from '../../session/session.ts'
import {
  besides,
  isFor,
  navigation,
  type NavigationGroup,
  type NavigationPage,
  type PagePath,
} from '../navigation.ts'

/** Every page that this viewer may open, once each, with its group. */
export function pagesFor(viewer: Viewer): { page: NavigationPage; group: NavigationGroup }[] {
  const pages = navigation.flatMap((group) =>
    group.items.flatMap((item) => [item, ...besides(item)]).map((page) => ({ page, group })),
  )
  const seen = new Set<PagePath>()
  // A page that is both a menu item and a tab appears as the item.
  return pages
    .toSorted((a, b) => Number('icon' in b.page) - Number('icon' in a.page))
    .filter(({ page }) => {
      const isFirst = isFor(viewer, page) && !seen.has(page.to)
      seen.add(page.to)
      return isFirst
    })
}
