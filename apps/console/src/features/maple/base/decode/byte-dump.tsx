import { Plural } from '@lingui/react/macro'
import { toHex } from '@grove/secure-element/bytes'
import styles from './explained-bytes.module.css'

export interface ByteRange {
  from: number
  to: number
}

interface ByteDumpProps {
  bytes: Uint8Array
  marked: ByteRange | undefined
  /** The marked byte is wrong. */
  isWrong?: boolean
}

/** More than fits on a screen. */
const maxBytes = 512

/** Bytes in hex, some of them highlighted. */
export function ByteDump({ bytes, marked, isWrong }: ByteDumpProps) {
  const hex = (from: number, to: number) =>
    [...bytes.subarray(from, Math.min(to, maxBytes))]
      .map((byte) => toHex(Uint8Array.of(byte)))
      .join(' ')
  const { from, to } = marked ?? { from: 0, to: 0 }
  const left = bytes.length - maxBytes
  return (
    <p className={styles.dump}>
      <code>
        {hex(0, from)} <mark data-wrong={isWrong}>{hex(from, to)}</mark> {hex(to, bytes.length)}
      </code>
      {left > 0 && (
        <span className="muted">
          {' '}
          <Plural value={left} one="and # more byte" other="and # more bytes" />
        </span>
      )}
    </p>
  )
}
