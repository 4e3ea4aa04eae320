import type { CatalogueProduct } from '@grove/contract/cedar/catalogue'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { SearchX, Sprout } from 'lucide-react'
import type { ReactNode } from 'react'
import { EmptyState } from '../../ui/text/empty-state.tsx'
import { AppCard } from './app-card.tsx'
import styles from './app-grid.module.css'
import frame from './catalogue-frame.module.css'
import { catalogueHeadingId, type CatalogueSearch } from './catalogue-search.ts'

interface AppGridProps {
  page: { items: CatalogueProduct[]; next: string | null; previous: string | null }
  search: CatalogueSearch
  /** The previous page is shown until the requested one arrives. */
  isStale: boolean
  onOpen: () => void
  /** Links to the first page of the whole catalogue. */
  onRestart: () => void
}

/** One page of the catalogue, or why it is empty. */
export function AppGrid({ page, search, isStale, onOpen, onRestart }: AppGridProps) {
  const { t } = useLingui()
  const { items, next, previous } = page
  return (
    <>
      <output className="visually-hidden">
        {!isStale && (
          <Plural value={items.length} one="# app on this page" other="# apps on this page" />
        )}
      </output>
      {items.length === 0 ? (
        <NothingHere search={search} onRestart={onRestart} />
      ) : (
        <ul className={`${frame.grid} ${styles.grid}`} aria-busy={isStale}>
          {items.map((app) => (
            <AppCard key={app.productId} app={app} onOpen={onOpen} />
          ))}
        </ul>
      )}
      {(next !== null || previous !== null) && (
        <nav className={styles.pager} aria-label={t`Pages`}>
          <PageLink cursor={previous}>
            <Trans>Previous</Trans>
          </PageLink>
          <PageLink cursor={next}>
            <Trans>Next</Trans>
          </PageLink>
        </nav>
      )}
    </>
  )
}

interface PageLinkProps {
  cursor: string | null
  children: ReactNode
}

/** The page behind a cursor; at either end of the list the link is inactive. */
const PageLink = ({ cursor, children }: PageLinkProps) => (
  <Link
    className="button"
    to="/"
    search={(search) => ({ ...search, cursor: cursor ?? undefined })}
    disabled={cursor === null}
    resetScroll={false}
    preload={false}
    // Reading starts at the top of the next page.
    onClick={() => document.getElementById(catalogueHeadingId)?.focus()}
  >
    {children}
  </Link>
)

function NothingHere({ search, onRestart }: Pick<AppGridProps, 'search' | 'onRestart'>) {
  const { t } = useLingui()
  const { q, cursor } = search
  const restart = (
    <button type="button" className="button" onClick={onRestart}>
      <Trans>Show all mini-apps</Trans>
    </button>
  )
  return (
    <div className={frame.wide}>
      {q ? (
        <EmptyState
          icon={SearchX}
          title={t`Nothing found for “${q}”`}
          text={t`Check the spelling, or search for part of the title.`}
          action={restart}
        />
      ) : cursor ? (
        <EmptyState
          icon={SearchX}
          title={t`This page is empty now`}
          text={t`Its apps have moved up or are no longer published.`}
          action={restart}
        />
      ) : (
        <EmptyState
          icon={Sprout}
          title={t`Nothing is published yet`}
          text={t`Mini-apps appear here as soon as a developer enables a version.`}
        />
      )}
    </div>
  )
}
