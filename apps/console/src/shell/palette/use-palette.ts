import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { use, useDeferredValue, useEffect, useState } from 'react'
import { recentOf } from '../../session/recent.ts'
import { currentLocale, type Locale } from '../../ui/i18n/locale.ts'
import { searchTextOf } from '../../ui/table/search-text.ts'
import { isFor, type PagePath } from '../navigation.ts'
import { createLabels } from './create-labels.ts'
import { Explainer, type Explained, type ExplainedBytes } from './explainer.ts'
import { inTurn } from './in-turn.ts'
import { matches } from './matches.ts'
import { pagesFor } from './palette-pages.ts'
import { recognised, type RecognisedCplc } from './recognised.ts'
import { sourcesFor, type Entry } from './palette-sources.ts'

export interface Group {
  id: string
  label: string
  entries: readonly Entry[]
}

/** The pause in typing before the platform is searched, in milliseconds. */
const pause = 150

/**
 * What the palette offers for a text: pages and actions immediately, and the platform's results after
 * a pause.
 */
export function usePalette(text: string) {
  const { i18n, t } = useLingui()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const typed = useDeferredValue(text.trim())
  const element = isFor(viewer, { access: 'mapleDeveloper' }) ? recognised(text) : undefined
  // A pasted text is searched in the form in which it is stored.
  const asked = element?.cplc ?? searchTextOf(text)
  const query = usePaused(asked)
  const locale = currentLocale()
  const words = useWords(typed !== '')
  const status = useStatusWord(typed)
  const guides = useGuideTitles(typed !== '', locale)
  const [recent] = useState(() => recentOf(viewer.userId))

  const capitalised = (title: string) => title.charAt(0).toLocaleUpperCase(locale) + title.slice(1)
  const opened = pagesFor(viewer)
  const pages = opened.map(({ page, group }): Entry & { to: PagePath } => ({
    id: page.to,
    to: page.to,
    title: capitalised(i18n._(page.label)),
    detail: i18n._(group.label),
    href: page.to,
  }))
  const actions = opened.flatMap(({ page: { to, label } }): Entry[] => {
    const create = createLabels[to]
    const href = `${to}?create=true`
    const detail = capitalised(i18n._(label))
    return create ? [{ id: href, title: i18n._(create), detail, href }] : []
  })
  // Opened by `DecodeFromAddress`, on any page.
  const { pathname, search } = location
  const decodeHref = (hex?: string) =>
    `${pathname}${search}#decode${hex === undefined ? '' : `=${encodeURIComponent(hex)}`}`
  const isHex = /^(0x)?([0-9a-f]{2}[\s:]*){4,}$/i.test(typed)
  const bytes = useExplainedBytes(typed, isHex)
  const decoding: Entry = {
    id: 'decode',
    title: !isHex
      ? t`Decode bytes…`
      : bytes
        ? [bytes.kind, bytes.summary].filter(Boolean).join(': ')
        : t`Decode these bytes`,
    detail: isHex && bytes ? t`Decode these bytes` : 'CPLC, APDU, AID',
    href: decodeHref(isHex ? typed : undefined),
  }
  const isAsked = (q: string) => q.length > 1
  const sources = sourcesFor(viewer)
  const found = useQueries({
    queries: sources.map(({ id, search: find }) => ({
      queryKey: ['palette', id, query, viewer.userId, locale],
      enabled: isAsked(query),
      placeholderData: keepPreviousData<Entry[] | null>,
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        // One failed call does not hide the results of the others.
        inTurn(() => find(query, { viewer, locale, signal }), signal).catch(() => null),
    })),
  })

  const entryOf = ({ cplc, chip, serial }: RecognisedCplc): Entry => ({
    id: cplc,
    title:
      chip === undefined
        ? t`Chip with the serial ${serial}`
        : t`${chip} chip with the serial ${serial}`,
    detail: `${cplc.slice(0, 20)}…`,
    href: `${viewer.isAdmin ? '/dashboard/maple/devices' : '/dashboard/iot'}?${new URLSearchParams({ q: cplc })}`,
  })
  const statusEntry = ({ code, meaning, source }: Explained): Entry => ({
    id: code,
    title: `${code}: ${meaning}`,
    ...(source !== undefined && { detail: source }),
    href: decodeHref(code),
  })
  const matching = <E extends Entry>(
    entries: readonly E[],
    synonymsOf: (entry: E) => string | undefined,
  ) =>
    entries.filter((entry) =>
      matches(typed, `${entry.title} ${entry.detail ?? ''}`, synonymsOf(entry)),
    )
  const from = new URLSearchParams({ from: pathname + search })
  const helpOf = (path: string, title: string): Entry => ({
    id: path,
    title,
    href: `${path}?${from}`,
  })
  const guideEntries = Object.entries(guides ?? {}).map(([name, title]) =>
    name === 'README' ? helpOf('/docs', t`Help`) : helpOf(`/docs/${name}`, title),
  )
  const groups: Group[] = [
    { id: 'recognised', label: t`CPLC`, entries: element ? [entryOf(element)] : [] },
    { id: 'status', label: t`Status word`, entries: status ? [statusEntry(status)] : [] },
    {
      id: 'recent',
      label: t`Recently opened`,
      entries: typed === '' ? recent.map((each) => ({ ...each, id: `recent ${each.href}` })) : [],
    },
    { id: 'pages', label: t`Pages`, entries: matching(pages, ({ to }) => words?.pageWords[to]) },
    {
      id: 'actions',
      label: t`Actions`,
      entries: [
        ...matching(actions, () => words?.actionWords),
        ...(isHex ? [] : matching([decoding], () => undefined)),
      ],
    },
    {
      id: 'guides',
      label: t`Help`,
      entries: guideEntries.filter(({ title }) => matches(typed, title, guideWords)),
    },
    ...sources.map(({ id, label }, at) => ({
      id,
      label: i18n._(label),
      entries: (isAsked(typed) ? found[at]?.data : undefined) ?? [],
    })),
    // After the results: the serial number of a chip is hex too.
    { id: 'bytes', label: t`Bytes`, entries: isHex ? [decoding] : [] },
  ].filter(({ entries }) => entries.length > 0)
  return {
    groups,
    isSearching: isAsked(asked) && (query !== asked || found.some(({ isFetching }) => isFetching)),
    hasFailed: isAsked(typed) && found.some(({ data }) => data === null),
    userId: viewer.userId,
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

/** What people call the pages; loaded on the first key. */
function useWords(isTyped: boolean) {
  const { data } = useQuery({
    queryKey: ['palette words'],
    enabled: isTyped,
    staleTime: Infinity,
    queryFn: () => import('./page-words.ts'),
  })
  return data
}

/** What people call any guide. */
const guideWords = 'help docs documentation guides справка помощь документация руководства'

/** The titles of the guides by name; loaded on the first key. */
function useGuideTitles(isTyped: boolean, locale: Locale) {
  const { data } = useQuery({
    queryKey: ['palette guides', locale],
    enabled: isTyped,
    staleTime: Infinity,
    queryFn: async () => (await import('../../ui/guide/guide.ts')).guidesIn(locale).titles,
  })
  return data
}

/** What typed bytes are. */
function useExplainedBytes(typed: string, isHex: boolean): ExplainedBytes | undefined {
  const { i18n } = useLingui()
  const load = use(Explainer)
  const { data } = useQuery({
    queryKey: ['palette bytes', isHex && typed, i18n.locale],
    enabled: isHex,
    staleTime: Infinity,
    // Pasted bytes may contain keys.
    gcTime: 0,
    queryFn: async () => (await load?.())?.explainBytes(typed, i18n) ?? null,
  })
  return data ?? undefined
}

/** What a typed status word means. */
function useStatusWord(typed: string): Explained | undefined {
  const { i18n } = useLingui()
  const load = use(Explainer)
  const canBe = /^\D{0,4}[69]/.test(typed) && typed.length >= 4 && typed.length <= 8
  const { data } = useQuery({
    queryKey: ['palette status', canBe && typed, i18n.locale],
    enabled: canBe,
    staleTime: Infinity,
    queryFn: async () => (await load?.())?.explainStatus(typed, i18n) ?? null,
  })
  return data ?? undefined
}
