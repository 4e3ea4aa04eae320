import type { Exchange } from '@grove/contract/maple/card/session'
import type { I18n } from '@lingui/core'
import type { Meaning } from '@grove/secure-element/part'
import { Plural, useLingui } from '@lingui/react/macro'
import { CircleHelp, EyeOff, OctagonX, TriangleAlert } from 'lucide-react'
import { memo } from 'react'
import { meaningText, termText } from '../../../base/decode/meaning-text.ts'
import { exchangeWords, statusOf } from './exchange-words.ts'
import { clockText } from '../../../base/live/clock-text.ts'
import type { RowProps } from '../../../base/live/log-view.tsx'
import { rowBytes, type Piece } from './log-bytes.ts'
import styles from '../../../base/live/log.module.css'
import { rowHeight } from '../../../base/live/rows-in-sight.ts'

interface LogRowProps extends RowProps<Exchange> {
  isWrapped: boolean
}

/** An exchange in two lines: what was sent, and what came back. The log handles clicks. */
export const LogRow = memo(function LogRow(props: LogRowProps) {
  const { item: exchange, id, isSelected, isWrapped, place, count } = props
  const { seq, at, latencyMs } = exchange
  const { i18n } = useLingui()
  const { sent, received } = rowBytes(exchange, isWrapped)
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
      data-failed={exchange.isFailed || exchange.outcome === 'unknown'}
      style={{ transform: `translateY(${place * rowHeight}px)` }}
    >
      <span className={styles.seq}>{seq}</span>
      <span className={styles.moment}>
        <span>{clockText(at, i18n.locale)}</span>
        <span className="muted">
          {latencyMs === null ? '' : latencyText(latencyMs, i18n.locale)}
        </span>
      </span>
      <span className={styles.words}>
        <CommandWords exchange={exchange} />
        <StatusWords exchange={exchange} />
      </span>
      <span className={styles.bytes}>
        <code className={styles.sent}>{sent && <Bytes pieces={sent} />}</code>
        <code className={styles.received}>{received && <Bytes pieces={received} />}</code>
      </span>
    </div>
  )
})

const numbers = new Map<string, Intl.NumberFormat>()
export function latencyText(milliseconds: number, locale: string): string {
  let format = numbers.get(locale)
  if (!format) {
    format = new Intl.NumberFormat(locale, {
      style: 'unit',
      unit: 'millisecond',
      maximumSignificantDigits: 3,
    })
    numbers.set(locale, format)
  }
  return format.format(milliseconds)
}

/** A number alone, such as a block number, says little. */
const wordOf = (meaning: Meaning, i18n: I18n) =>
  meaning.kind === 'number' ? `#${meaning.value}` : meaningText(meaning, i18n)

/** The name of the command, and what it is about. */
export function CommandWords({ exchange }: { exchange: Exchange }) {
  const { i18n, t } = useLingui()
  const { name, logicalChannel, meanings, aids } = exchangeWords(exchange)
  const more = [
    ...(logicalChannel > 0 ? [t`logical channel ${logicalChannel}`] : []),
    ...meanings.map((meaning) => wordOf(meaning, i18n)),
    ...aids,
  ].join(' · ')
  const ofPiece = exchange.command === null ? t`next fragment of the command` : t`unknown command`
  return (
    <span className={styles.command}>
      <strong>{name ?? ofPiece}</strong>
      {more && <span className="muted"> {more}</span>}
    </span>
  )
}

/** The card's response, in words. */
export function StatusWords({ exchange }: { exchange: Exchange }) {
  const { i18n, t } = useLingui()
  const status = statusOf(exchange)
  if (exchange.outcome === 'waiting')
    return <span className={styles.status}>{t`waiting for the card…`}</span>
  if (exchange.outcome === 'unknown' || !status)
    return (
      <span className={styles.status} data-kind="warning">
        <CircleHelp size={14} aria-hidden />
        {t`unknown: no definite answer`}
      </span>
    )
  const { code, name, value, kind } = status
  const Icon = kind === 'error' || exchange.isFailed ? OctagonX : TriangleAlert
  return (
    <span className={styles.status} data-kind={exchange.isFailed ? 'error' : kind}>
      {kind !== 'success' && <Icon size={14} aria-hidden />}
      <code>{code}</code> {i18n._(termText(`status.${name}`, value))}
    </span>
  )
}

function Bytes({ pieces }: { pieces: readonly Piece[] }) {
  return pieces.map((piece, index) =>
    'hex' in piece ? (
      `${piece.hex} `
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- a row's pieces never change places
      <span key={index} className={styles.hidden}>
        <EyeOff size={12} aria-hidden />
        <Plural value={piece.hidden} one="# byte not stored" other="# bytes not stored" />{' '}
      </span>
    ),
  )
}
