import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useRef } from 'react'
import { homePage, isSignedIn } from '../../session/session.ts'
import { SearchBox } from '../../ui/table/search-box.tsx'
import { AppDetails } from './app-details.tsx'
import { AppGrid } from './app-grid.tsx'
import frame from './catalogue-frame.module.css'
import { catalogueQuery } from './catalogue-queries.ts'
import type { CatalogueSearch } from './catalogue-search.ts'
import { CatalogueSkeleton } from './catalogue-skeleton.tsx'
import { LoadFailure } from './load-failure.tsx'
import { MapleNotice } from './maple-notice.tsx'

const route = getRouteApi('/_app/')

/** The live mini-apps: search, pages, and the one that the URL names. */
export function Catalogue() {
  const { t } = useLingui()
  const router = useRouter()
  const navigate = route.useNavigate()
  const search = route.useSearch()
  const { q = '', app } = search
  const list = useQuery({ ...catalogueQuery(search), placeholderData: keepPreviousData })
  const wasOpenedHere = useRef(false)

  const change = (next: CatalogueSearch, replace: boolean) =>
    void navigate({ search: (now) => ({ ...now, ...next }), replace, resetScroll: false })

  return (
    <>
      {isSignedIn() && homePage() === '/' && <MapleNotice />}
      <SearchBox
        label={t`Search the mini-apps`}
        value={q}
        onChange={(text) => {
          // The first letter and clearing the search add history entries; letters in between do not.
          const isTyping = q !== '' && text !== ''
          change({ q: text || undefined, cursor: undefined }, isTyping)
        }}
      />
      {list.data ? (
        <AppGrid
          page={list.data}
          search={search}
          isStale={list.isPlaceholderData}
          onOpen={() => (wasOpenedHere.current = true)}
          onRestart={() => change({ q: undefined, cursor: undefined }, false)}
        />
      ) : list.error ? (
        <LoadFailure
          className={frame.wide}
          error={list.error}
          onRetry={() => void list.refetch()}
          onRestart={search.cursor && (() => change({ cursor: undefined }, true))}
        />
      ) : (
        <CatalogueSkeleton label={t`Loading`} />
      )}
      {app !== undefined && (
        <AppDetails
          key={app}
          productId={app}
          onClose={() => {
            // Back must not find a second entry for the same list.
            if (wasOpenedHere.current) router.history.back()
            else change({ app: undefined }, true)
          }}
        />
      )}
    </>
  )
}
