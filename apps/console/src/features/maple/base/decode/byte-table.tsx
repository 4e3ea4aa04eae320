import { toHex } from '@grove/secure-element/bytes'
import { Plural } from '@lingui/react/macro'
import { useEffect, useRef, type PointerEvent, type MouseEvent } from 'react'
import type { ByteRange } from './byte-dump.tsx'
import styles from './byte-table.module.css'

interface ByteTableProps {
  /** Labels the bytes for screen readers. */
  label: string
  bytes: Uint8Array
  /** Bytes that were never stored: their positions are shown, not their values. */
  hidden: ByteRange | undefined
  marked: ByteRange | undefined
  /** The first of these bytes is kept in view. */
  chosen: ByteRange | undefined
  onPoint: (at: number | undefined) => void
  onChoose: (at: number) => void
}

const rowLength = 8
/** More than anyone reads byte by byte. */
const maxBytes = 512

/** A hex dump: the offset of each row, its bytes in hex, and the same as text. */
export function ByteTable(props: ByteTableProps) {
  const { label, bytes, hidden, marked, chosen, onPoint, onChoose } = props
  const table = useRef<HTMLDivElement>(null)
  const starts = Array.from(
    { length: Math.ceil(Math.min(bytes.length, maxBytes) / rowLength) },
    (_, row) => row * rowLength,
  )
  const left = bytes.length - maxBytes
  const first = chosen && Math.floor(chosen.from / rowLength)
  useEffect(() => {
    if (first !== undefined) table.current?.children[first]?.scrollIntoView({ block: 'nearest' })
  }, [first])
  const isIn = (range: ByteRange | undefined, at: number) =>
    range !== undefined && at >= range.from && at < range.to
  const cell = (at: number, text: string) => (
    <span key={at} data-at={at} data-marked={isIn(marked, at)}>
      {text}
    </span>
  )
  const placeOf = ({ target }: PointerEvent | MouseEvent) => {
    const at = target instanceof HTMLElement ? target.dataset['at'] : undefined
    return at === undefined ? undefined : Number(at)
  }
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- with the keyboard, a part is chosen in its tree */}
      <div
        ref={table}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- these are not fields
        role="group"
        aria-label={label}
        className={styles.table}
        onPointerOver={(event) => onPoint(placeOf(event))}
        onPointerLeave={() => onPoint(undefined)}
        onClick={(event) => {
          const at = placeOf(event)
          if (at !== undefined) onChoose(at)
        }}
      >
        {starts.map((start) => {
          const row = [...bytes.subarray(start, Math.min(start + rowLength, maxBytes))]
          return (
            <div key={start} className={styles.row}>
              {/* In decimal, like the tree. */}
              <span className={styles.offset}>{String(start).padStart(3, '0')}</span>
              <code>
                {row.map((byte, index) => {
                  const at = start + index
                  return cell(at, isIn(hidden, at) ? '··' : toHex(Uint8Array.of(byte)))
                })}
              </code>
              <code aria-hidden className={styles.text}>
                {row.map((byte, index) => {
                  const at = start + index
                  return cell(at, isIn(hidden, at) ? ' ' : textOf(byte))
                })}
              </code>
            </div>
          )
        })}
      </div>
      {left > 0 && (
        <p className="muted">
          <Plural value={left} one="and # more byte" other="and # more bytes" />
        </p>
      )}
    </>
  )
}

/** Printable ASCII is shown as is. */
const textOf = (byte: number) => (byte > 0x20 && byte < 0x7f ? String.fromCodePoint(byte) : '·')
