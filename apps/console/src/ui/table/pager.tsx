import { Trans, useLingui } from '@lingui/react/macro'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import styles from './data-table.module.css'
import type { ListResult, ListView } from './types.ts'

interface PagerProps<Row> {
  list: ListResult<Row>
  view: ListView
  onView: (change: ListView) => void
  sizes?: readonly number[] | undefined
  size?: number | undefined
}

/** Keyset pages have neighbours, not numbers. */
export function Pager<Row>({ list, view, onView, sizes, size }: PagerProps<Row>) {
  const { data, error } = list
  const { t } = useLingui()
  const go = (cursor: string | undefined) => {
    onView({ cursor })
    scrollTo({ top: 0 })
  }
  return (
    <nav className={styles.pager} aria-label={t`Pages`}>
      {sizes && (
        <label className={styles.sizes}>
          <Trans>Rows a page</Trans>
          <select
            className="select quiet"
            value={size}
            onChange={(event) => onView({ limit: Number(event.target.value), cursor: undefined })}
          >
            {sizes.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      )}
      {error && data ? (
        <span className="field-error">
          <Trans>The rows below may be out of date.</Trans>
        </span>
      ) : null}
      {view.cursor && (
        <button type="button" className="button quiet" onClick={() => go(undefined)}>
          <Trans>First page</Trans>
        </button>
      )}
      <button
        type="button"
        className="button"
        disabled={!data?.previous}
        onClick={() => data?.previous && go(data.previous)}
      >
        <ChevronLeft size={16} aria-hidden />
        <Trans>Previous</Trans>
      </button>
      <button
        type="button"
        className="button"
        disabled={!data?.next}
        onClick={() => data?.next && go(data.next)}
      >
        <Trans>Next</Trans>
        <ChevronRight size={16} aria-hidden />
      </button>
    </nav>
  )
}
