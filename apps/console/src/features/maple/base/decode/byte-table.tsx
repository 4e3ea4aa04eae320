import { toHex } from '@grove/secure-element/bytes'
import { Plural } from '@lingui/react/macro'
import { useEffect, useRef, type PointerEvent, type MouseEvent } from 'react'
import type { ByteRange } from './byte-dump.tsx'
import styles from './byte-table.module.css'

interface ByteTableProps {
  /** Names the bytes to a screen reader. */
  label: string
  bytes: Uint8Array
  /** Bytes that were never stored: their places are shown, not their values. */
  hidden: ByteRange | undefined
  marked: ByteRange | undefined
  /** The first of these bytes is kept in sight. */
  chosen: ByteRange | undefined
  onPoint: (at: number | undefined) => void
  onChoose: (at: number) => void
}

const rowLength = 8
/** More than anybody reads byte by byte. */
const maxBytes = 512

/** Bytes in rows: the place of the first, all in hex, and what they are as text. */
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
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- by keyboard, a part is chosen in its tree */}
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
              {/* As the tree counts: in decimal. */}
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

/** What is printed in ASCII, as itself. */
const textOf = (byte: number) => (byte > 0x20 && byte < 0x7f ? String.fromCodePoint(byte) : '·')
