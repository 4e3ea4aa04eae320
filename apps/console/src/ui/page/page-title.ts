import { useLingui } from '@lingui/react'
import { useMatches } from '@tanstack/react-router'
import { useEffect, useSyncExternalStore } from 'react'

/** What a page's loader may say about the page. */
export interface PageNames {
  /** The title for the tab and for screen readers. */
  title: string
  /** Its name in the breadcrumbs, where the pages above it already say the rest. */
  crumb?: string
  /** The pages above it that are not in the menu. */
  parents?: readonly { title: string; href: string }[]
}

const isNames = (data: unknown): data is PageNames =>
  typeof data === 'object' && data !== null && 'title' in data && typeof data.title === 'string'

/** The page's title: from its loader, or else from its route; undefined until known. */
export function usePageNames(): PageNames | undefined {
  const { i18n } = useLingui()
  const matches = useMatches()
  for (const { loaderData, staticData } of matches.toReversed()) {
    if (isNames(loaderData)) return loaderData
    const { title } = staticData
    // The texts of a page that is still loading may be missing.
    if (title && title.id in i18n.messages) return { title: i18n._(title) }
  }
}

export const usePageTitle = (): string => usePageNames()?.title ?? 'Grove'

let partTitle: string | undefined
const listeners = new Set<() => void>()

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
const set = (title: string | undefined) => {
  partTitle = title
  for (const listener of listeners) listener()
}

/** Puts the name of a part of the page, such as an open panel, before the page's own title in the tab. */
export function useTabTitle(title: string | undefined) {
  useEffect(() => {
    set(title)
    return () => set(undefined)
  }, [title])
}

export const usePartTitle = () => useSyncExternalStore(subscribe, () => partTitle)
