import { Trans, useLingui } from '@lingui/react/macro'
import { Link, useSearch } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { homePage, isSignedIn } from '../../session/session.ts'
import { currentLocale } from '../../ui/i18n/locale.ts'
import { VisitorPage } from '../../ui/page/visitor-page.tsx'
import { SearchBox } from '../../ui/table/search-box.tsx'
import { guidesIn } from '../../ui/guide/guide.ts'
import { indexName } from './guides.ts'
import { SearchResults } from './search-results.tsx'
import styles from './docs.module.css'

interface DocsFrameProps {
  /** The name of the guide that is open. */
  current: string
  contents: ReactNode
  children: ReactNode
}

/** The frame around a guide: the way back, the search, and the other guides. */
export function DocsFrame({ current, contents, children }: DocsFrameProps) {
  const { t } = useLingui()
  const [query, setQuery] = useState('')
  const { groups, titles } = guidesIn(currentLocale())
  return (
    <VisitorPage>
      <div className={styles.docs} data-wide>
        <div className={styles.tools}>
          <WayBack />
          {current !== indexName && (
            <Link to="/docs" className={styles.all}>
              <Trans>All guides</Trans>
            </Link>
          )}
          <SearchBox label={t`Search the guides`} value={query} onChange={setQuery} />
        </div>
        <nav className={styles.guides} aria-label={t`Guides`}>
          {groups.map(({ reader, names }) => (
            <section key={reader}>
              <h2>{reader}</h2>
              <ul>
                {names.map((name) => (
                  <li key={name}>
                    <Link
                      to="/docs/$guide"
                      params={{ guide: name }}
                      aria-current={name === current ? 'page' : undefined}
                      onClick={() => setQuery('')}
                    >
                      {titles[name]}
                    </Link>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </nav>
        {query.trim() === '' ? (
          <>
            {contents}
            {children}
          </>
        ) : (
          <SearchResults query={query} onOpen={() => setQuery('')} />
        )}
      </div>
    </VisitorPage>
  )
}

/** Goes to the page that the reader came from, or else to the default page. */
function WayBack() {
  const { from } = useSearch({ strict: false })
  const home = isSignedIn() ? homePage() : '/'
  return (
    <Link to={from ?? home} className={styles.back}>
      <ArrowLeft size={16} aria-hidden />
      {from === undefined && home === '/' ? (
        <Trans>Start page</Trans>
      ) : (
        <Trans>Back to the console</Trans>
      )}
    </Link>
  )
}
