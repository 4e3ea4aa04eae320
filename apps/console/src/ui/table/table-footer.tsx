import { Trans, useLingui } from '@lingui/react/macro'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { plural } from '@lingui/core/macro'
import styles from './data-table.module.css'
import type { ListPage, ListResult, ListView } from './types.ts'

interface TableFooterProps<Row> {
  list: ListResult<Row>
  view: ListView
  onView: (change: ListView) => void
  /** The rows by their own name: "20,000 devices". */
  totalText: TotalText | undefined
}

/** `more` is “+” if there are at least as many. */
export type TotalText = (count: number, more: '+' | '') => string

/** The number of rows on all pages, as far as an answer says. */
export function totalOf<Row>({ items, next, previous, count }: ListPage<Row>) {
  if (count) return { count: count.value, isMore: count.isCapped }
  return { count: items.length, isMore: next !== null || previous !== null }
}

/** The total, and links to the next and previous page: keyset pages have no numbers. */
export function TableFooter<Row>({ list, view, onView, totalText }: TableFooterProps<Row>) {
  const { data, error } = list
  const { t } = useLingui()
  const go = (cursor: string | undefined) => {
    onView({ cursor })
    scrollTo({ top: 0 })
  }
  const rows: TotalText = (count, more) =>
    t`${plural(count, { one: `#${more} row`, other: `#${more} rows` })}`
  const total = data && totalOf(data)
  return (
    <footer className={styles.footer}>
      <output className={styles.total}>
        {total ? (
          (totalText ?? rows)(total.count, total.isMore ? '+' : '')
        ) : error ? null : (
          <span className="skeleton">&nbsp;</span>
        )}
      </output>
      {error && data ? (
        <span className="field-error">
          <Trans>These rows may be out of date.</Trans>
        </span>
      ) : null}
      {(data?.next || data?.previous || view.cursor) && (
        <nav className={styles.pager} aria-label={t`Pages`}>
          {view.cursor && (
            <button type="button" className="button quiet" onClick={() => go(undefined)}>
              <Trans>First page</Trans>
            </button>
          )}
          <button
            type="button"
            className="button"
            aria-disabled={!data?.previous}
            onClick={() => data?.previous && go(data.previous)}
          >
            <ChevronLeft size={16} aria-hidden />
            <Trans>Previous</Trans>
          </button>
          <button
            type="button"
            className="button"
            aria-disabled={!data?.next}
            onClick={() => data?.next && go(data.next)}
          >
            <Trans>Next</Trans>
            <ChevronRight size={16} aria-hidden />
          </button>
        </nav>
      )}
    </footer>
  )
}
