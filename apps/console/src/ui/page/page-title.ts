import { useLingui } from '@lingui/react'
import { useMatches } from '@tanstack/react-router'
import { useEffect, useSyncExternalStore } from 'react'

/** What a page's loader may say of itself. */
export interface PageNames {
  /** Names the page in the tab and to a screen reader. */
  title: string
  /** Its name in the breadcrumbs, where the pages above it already say the rest. */
  crumb?: string
  /** The pages above it that are not in the menu. */
  parents?: readonly { title: string; href: string }[]
}

const isNames = (data: unknown): data is PageNames =>
  typeof data === 'object' && data !== null && 'title' in data && typeof data.title === 'string'

/** What the page calls itself: its loader's names, else its route's title; undefined until known. */
export function usePageNames(): PageNames | undefined {
  const { i18n } = useLingui()
  const matches = useMatches()
  for (const { loaderData, staticData } of matches.toReversed()) {
    if (isNames(loaderData)) return loaderData
    const { title } = staticData
    // The texts of a page that is loading may not be here yet.
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

/** Names a part of the page, such as an open panel, in the tab, before the page's own title. */
export function useTabTitle(title: string | undefined) {
  useEffect(() => {
    set(title)
    return () => set(undefined)
  }, [title])
}

export const usePartTitle = () => useSyncExternalStore(subscribe, () => partTitle)
