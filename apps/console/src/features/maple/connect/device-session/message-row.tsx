import { Trans, useLingui } from '@lingui/react/macro'
import { memo } from 'react'
import { shortJson } from '../../base/json-text.ts'
import { clockText } from '../../base/live/clock-text.ts'
import type { RowProps } from '../../base/live/log-view.tsx'
import styles from '../../base/live/log.module.css'
import { rowHeight } from '../../base/live/rows-in-sight.ts'
import { useDeviceSessionWords } from './device-session.labels.tsx'
import type { LoggedMessage } from './logged-message.ts'

/** So much of the data is in sight at most. */
const maxShown = 400

/** What a message says; of a payload what its handler read, or why it could not. */
function wordsOf({ data, decoding }: LoggedMessage): string {
  if (decoding?.error) return decoding.error.message
  return shortJson(decoding?.state === 'decoded' ? decoding.value : data)
}

/** A message in two lines: what it is, and what it says. The log takes its clicks. */
export const MessageRow = memo(function MessageRow(props: RowProps<LoggedMessage>) {
  const { item, id, isSelected, place, count } = props
  const { i18n } = useLingui()
  const { kindOf } = useDeviceSessionWords()
  const isSent = item.boot === ''
  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- the log has the focus and takes the keys
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an option of a select holds text alone
      role="option"
      id={id}
      aria-selected={isSelected}
      aria-posinset={place + 1}
      aria-setsize={count}
      className={styles.row}
      data-failed={
        item.decoding?.state === 'failed' ||
        (item.kind === 'result' && Object(item.data).ok === false)
      }
      style={{ transform: `translateY(${place * rowHeight}px)` }}
    >
      <span className={styles.seq}>{isSent ? '' : item.place}</span>
      <span className={styles.moment}>
        <span>{clockText(item.receivedAt, i18n.locale)}</span>
        <span className="muted">{item.boot.slice(0, 8)}</span>
      </span>
      <span className={styles.words}>
        <span className={styles.command}>
          <strong>{kindOf(item.kind)}</strong>
          {item.isClockOff && (
            <span className="muted">
              <Trans>Wrong clock</Trans>
            </span>
          )}
        </span>
      </span>
      <span className={`${styles.bytes} ${styles.always}`}>
        <code className={isSent ? styles.sent : styles.received}>
          {wordsOf(item).slice(0, maxShown)}
        </code>
      </span>
    </div>
  )
})
