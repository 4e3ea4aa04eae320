import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { problemText } from '../../api/problem-text.ts'
import { NetworkProblem } from '../../api/problem.ts'
import { currentLocale } from '../../ui/i18n/locale.ts'
import { findSections } from './find-sections.ts'
import { guidesIn } from '../../ui/guide/guide.ts'
import styles from './docs.module.css'

/** The sections of all guides that contain the words of a query. */
export function SearchResults({ query, onOpen }: { query: string; onOpen: () => void }) {
  const { i18n } = useLingui()
  const locale = currentLocale()
  const { data, error } = useQuery({
    queryKey: ['docs', 'search', locale],
    staleTime: Infinity,
    placeholderData: keepPreviousData,
    queryFn: async () => {
      try {
        return (await guidesIn(locale).search()).sections
      } catch (cause) {
        throw new NetworkProblem(cause)
      }
    },
  })
  const found = findSections(data ?? [], query)
  return (
    <div className={styles.article}>
      <h1>
        <Trans>Search results</Trans>
      </h1>
      <output className="muted">
        {error ? (
          problemText(error, i18n)
        ) : data === undefined ? (
          <Trans>Searching…</Trans>
        ) : found.length === 0 ? (
          <Trans>No guide has words that begin so.</Trans>
        ) : (
          <Plural value={found.length} one="# section" other="# sections" />
        )}
      </output>
      <ul className={styles.found}>
        {found.map(({ guide, id, titles, excerpt }) => (
          <li key={`${guide}#${id}`}>
            <Link to="/docs/$guide" params={{ guide }} hash={id} onClick={onOpen}>
              {titles.at(-1)}
            </Link>
            {titles.length > 1 && <span className="muted">{titles.slice(0, -1).join(' › ')}</span>}
            <p>
              {excerpt.map((part, at) =>
                // oxlint-disable-next-line react/no-array-index-key -- parts of one text
                at % 2 === 1 ? <mark key={at}>{part}</mark> : part,
              )}
            </p>
          </li>
        ))}
      </ul>
    </div>
  )
}
