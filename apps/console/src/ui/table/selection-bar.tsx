import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { problemText } from '../../api/problem-text.ts'
import { isAbort } from '../../api/problem.ts'
import { notify } from '../toast/notify.ts'
import styles from './data-table.module.css'

/** Fetches the IDs of one page of the filtered rows, as large as the service allows. */
export type ReadIds = (
  cursor: string | undefined,
) => Promise<{ ids: string[]; next: string | null }>

/** The maximum number of selected rows: as many as the service counts. */
const maxSelected = 10_000

interface SelectionBarProps {
  count: number
  /** The number of filtered rows on all pages, if it is known and they can all be selected. */
  all: { count: number; isCapped: boolean; readIds: ReadIds } | undefined
  onSelectPage: (() => void) | undefined
  onSelect: (ids: string[]) => void
  onClear: () => void
  children: ReactNode
}

/** Replaces the toolbar while rows are selected. */
export function SelectionBar(props: SelectionBarProps) {
  const { count, all, onSelectPage, onSelect, onClear, children } = props
  const { i18n, t } = useLingui()
  const [read, setRead] = useState<number>()
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])

  const selectAll = async () => {
    if (!all) return
    const own = new AbortController()
    stop.current = own
    setRead(0)
    try {
      const ids: string[] = []
      for (let next: string | null | undefined; next !== null && ids.length < maxSelected;) {
        const page = await all.readIds(next)
        own.signal.throwIfAborted()
        ids.push(...page.ids)
        setRead(ids.length)
        next = page.next
      }
      onSelect(ids.slice(0, maxSelected))
    } catch (error) {
      if (!isAbort(error)) notify({ kind: 'failure', text: problemText(error, i18n) })
    }
    setRead(undefined)
  }
  const total = i18n.number(all?.count ?? 0)
  const found = i18n.number(read ?? 0)

  return (
    <div className={`${styles.toolbar} ${styles.selection}`}>
      <output>
        {read === undefined ? (
          <Plural value={count} one="# row selected" other="# rows selected" />
        ) : (
          <Trans>
            Selecting… {found} of {total}
          </Trans>
        )}
      </output>
      {read === undefined && onSelectPage && (
        <button type="button" className={`button quiet ${styles.narrow}`} onClick={onSelectPage}>
          <Trans>Select this page</Trans>
        </button>
      )}
      {read === undefined && all && (
        <button type="button" className="button quiet" onClick={() => void selectAll()}>
          {all.isCapped ? t`Select the first ${total}` : t`Select all ${total}`}
        </button>
      )}
      {read === undefined && children}
      <button
        type="button"
        className="button quiet"
        onClick={() => (read === undefined ? onClear() : stop.current?.abort())}
      >
        {read === undefined ? t`Clear the selection` : t`Stop`}
      </button>
    </div>
  )
}
