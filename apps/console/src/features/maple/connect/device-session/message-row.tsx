import { Trans, useLingui } from '@lingui/react/macro'
import { memo } from 'react'
import { shortJson } from '../../base/json-text.ts'
import { clockText } from '../../base/live/clock-text.ts'
import type { RowProps } from '../../base/live/log-view.tsx'
import styles from '../../base/live/log.module.css'
import { rowHeight } from '../../base/live/rows-in-sight.ts'
import { useDeviceSessionWords } from './device-session.labels.tsx'
import type { LoggedMessage } from './logged-message.ts'

/** The maximum of the data that is shown. */
const maxShown = 400

/** A message's content; for a payload, its handler's result or error. */
function wordsOf({ data, decoding }: LoggedMessage): string {
  if (decoding?.error) return decoding.error.message
  return shortJson(decoding?.state === 'decoded' ? decoding.value : data)
}

/** A message in two lines: its kind, and its content. The log handles clicks. */
export const MessageRow = memo(function MessageRow(props: RowProps<LoggedMessage>) {
  const { item, id, isSelected, place, count } = props
  const { i18n } = useLingui()
  const { kindOf } = useDeviceSessionWords()
  const isSent = item.boot === ''
  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- the log has the focus and handles the keys
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an option of a select holds only text
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
