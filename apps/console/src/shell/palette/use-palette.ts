import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { useDeferredValue, useEffect, useState } from 'react'
import { currentLocale } from '../../ui/i18n/locale.ts'
import { navigationFor } from '../navigation.ts'
import { sources, type Entry } from './palette-sources.ts'

export interface Group {
  id: string
  label: string
  entries: readonly Entry[]
}

/** A pause in typing after which the platform is asked, in milliseconds. */
const pause = 150

/** What the palette offers for a text: pages and actions at once, and what the platform finds after a pause. */
export function usePalette(text: string) {
  const { i18n, t } = useLingui()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const typed = useDeferredValue(text.trim())
  const query = usePaused(text.trim())
  const locale = currentLocale()

  const capitalised = (title: string) => title.charAt(0).toLocaleUpperCase(locale) + title.slice(1)
  const groupsOfPages = navigationFor(viewer)
  const pages = groupsOfPages.flatMap(({ label, items }) =>
    items.map((item): Entry => ({
      id: item.to,
      title: capitalised(i18n._(item.label)),
      detail: i18n._(label),
      href: item.to,
    })),
  )
  const actions = groupsOfPages
    .flatMap(({ items }) => items)
    .flatMap(({ to, label, create }): Entry[] => {
      const href = `${to}?create=true`
      const detail = capitalised(i18n._(label))
      return create ? [{ id: href, title: i18n._(create), detail, href }] : []
    })
  const found = useQuery({
    queryKey: ['palette', query, viewer.userId, locale],
    enabled: query.length > 1,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      Promise.all(
        sources
          .filter((source) => source.isFor(viewer))
          .map(async ({ id, label, search }) => ({
            id,
            label,
            // One service that does not answer does not hide what the others found.
            entries: await search(query, locale, signal).catch(() => null),
          })),
      ),
  })

  const matching = (entries: readonly Entry[]) =>
    entries.filter(({ title, detail = '' }) =>
      `${title} ${detail}`.toLowerCase().includes(typed.toLowerCase()),
    )
  const results = typed.length > 1 ? (found.data ?? []) : []
  const groups: Group[] = [
    { id: 'pages', label: t`Pages`, entries: matching(pages) },
    { id: 'actions', label: t`Actions`, entries: matching(actions) },
    ...results.map(({ id, label, entries }) => ({
      id,
      label: i18n._(label),
      entries: entries ?? [],
    })),
  ].filter(({ entries }) => entries.length > 0)
  return {
    groups,
    isSearching: text.trim().length > 1 && (found.isFetching || query !== text.trim()),
    hasFailed: results.some(({ entries }) => entries === null),
  }
}

function usePaused(value: string) {
  const [paused, setPaused] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), pause)
    return () => clearTimeout(timer)
  }, [value])
  return paused
}
