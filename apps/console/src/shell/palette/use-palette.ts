import { useLingui } from '@lingui/react/macro'
import { maxSearchLength } from '@grove/contract/page.rules'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { useDeferredValue, useEffect, useState } from 'react'
import { currentLocale } from '../../ui/i18n/locale.ts'
import { navigationFor } from '../navigation.ts'
import { createLabels } from './create-labels.ts'
import { recognised, type RecognisedCplc } from './recognised.ts'
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
  const element = viewer.isAdmin ? recognised(text) : undefined
  // What was pasted is asked for as it is stored.
  const asked = element?.cplc ?? text.trim()
  const query = usePaused(asked)
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
    .flatMap(({ to, label }): Entry[] => {
      const create = createLabels[to]
      const href = `${to}?create=true`
      const detail = capitalised(i18n._(label))
      return create ? [{ id: href, title: i18n._(create), detail, href }] : []
    })
  // Opened by `DecodeFromAddress`, on whichever page this is.
  const { pathname, search } = location
  const isHex = /^(0x)?([0-9a-f]{2}[\s:]*){4,}$/i.test(typed)
  const decoding: Entry = {
    id: 'decode',
    title: isHex ? t`Decode these bytes` : t`Decode bytes…`,
    detail: 'CPLC, APDU, AID',
    href: `${pathname}${search}#decode${isHex ? `=${encodeURIComponent(typed)}` : ''}`,
  }
  const found = useQuery({
    queryKey: ['palette', query, viewer.userId, locale],
    enabled: query.length > 1 && query.length <= maxSearchLength,
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

  const entryOf = ({ cplc, chip, serial }: RecognisedCplc): Entry => ({
    id: cplc,
    title:
      chip === undefined
        ? t`Chip with the serial ${serial}`
        : t`${chip} chip with the serial ${serial}`,
    detail: `${cplc.slice(0, 20)}…`,
    href: `/dashboard/maple/devices?${new URLSearchParams({ q: cplc })}`,
  })
  const matching = (entries: readonly Entry[]) =>
    entries.filter(({ title, detail = '' }) =>
      `${title} ${detail}`.toLowerCase().includes(typed.toLowerCase()),
    )
  const results = typed.length > 1 && asked.length <= maxSearchLength ? (found.data ?? []) : []
  const groups: Group[] = [
    { id: 'recognised', label: t`CPLC`, entries: element ? [entryOf(element)] : [] },
    { id: 'pages', label: t`Pages`, entries: matching(pages) },
    {
      id: 'actions',
      label: t`Actions`,
      entries: matching(isHex ? actions : [...actions, decoding]),
    },
    ...results.map(({ id, label, entries }) => ({
      id,
      label: i18n._(label),
      entries: entries ?? [],
    })),
    // Behind what is found: the serial number of a chip is hex too.
    { id: 'bytes', label: t`Bytes`, entries: isHex ? [decoding] : [] },
  ].filter(({ entries }) => entries.length > 0)
  return {
    groups,
    isSearching:
      asked.length > 1 && asked.length <= maxSearchLength && (found.isFetching || query !== asked),
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
