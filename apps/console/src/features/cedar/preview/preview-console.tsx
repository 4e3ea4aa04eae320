import { Plural, useLingui } from '@lingui/react/macro'
import { CircleAlert, Info, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { Log, LogLevel } from './preview-log.ts'
import styles from './preview-console.module.css'

const shapes = { warn: TriangleAlert, error: CircleAlert, info: Info }

type Filter = 'all' | 'problems'
const problems = new Set<LogLevel>(['warn', 'error'])

/** What the mini-app writes to its console, as text. */
export function PreviewConsole({ log, onClear }: { log: Log; onClear: () => void }) {
  const { t } = useLingui()
  const [filter, setFilter] = useState<Filter>('all')
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const lines = log.lines.filter(
    (line) =>
      (filter === 'all' || problems.has(line.level)) &&
      (wanted === '' || line.text.toLowerCase().includes(wanted)),
  )
  const words: Record<LogLevel, string> = {
    debug: t`Debug`,
    log: t`Log`,
    info: t`Info`,
    warn: t`Warning`,
    error: t`Error`,
  }
  return (
    <div className={styles.console}>
      <div className={styles.tools}>
        <input
          type="search"
          className="input"
          aria-label={t`Filter the console`}
          placeholder={t`Filter`}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <select
          className="select"
          aria-label={t`Lines to show`}
          value={filter}
          onChange={({ target }) => setFilter(target.value as Filter)}
        >
          <option value="all">{t`All lines`}</option>
          <option value="problems">{t`Warnings and errors`}</option>
        </select>
        <button type="button" className="button" onClick={onClear}>
          {t`Clear`}
        </button>
      </div>
      {log.dropped > 0 && (
        <p className={styles.dropped}>
          <Plural
            value={log.dropped}
            one="# line came too fast and is not shown."
            other="# lines came too fast and are not shown."
          />
        </p>
      )}
      {lines.length === 0 ? (
        <p className="muted">{log.lines.length === 0 ? t`No output yet.` : t`No line matches.`}</p>
      ) : (
        <ol
          className={styles.lines}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it
          tabIndex={0}
          aria-label={t`Console of the app`}
        >
          {lines.map(({ id, level, text, count }) => {
            const Shape = shapes[level as keyof typeof shapes]
            return (
              <li key={id} data-level={level}>
                {Shape ? <Shape size={14} aria-label={words[level]} /> : <span />}
                <span className={styles.text}>
                  <bdi>{text}</bdi>
                </span>
                {count > 1 && <span className={styles.count}>×{count}</span>}
              </li>
            )
          })}
        </ol>
      )}
    </div>
  )
}
