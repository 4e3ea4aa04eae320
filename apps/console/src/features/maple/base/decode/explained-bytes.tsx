import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { Part } from '@grove/secure-element/part'
import { useState } from 'react'
import { ByteDump, type ByteRange } from './byte-dump.tsx'
import styles from './explained-bytes.module.css'
import { firstParts } from './first-parts.ts'
import { meaningText } from './meaning-text.ts'
import { partLabels } from './part.labels.ts'

/** Beyond these, a tree is too long to read. */
const maxParts = 400

interface ExplainedBytesProps {
  bytes: Uint8Array
  parts: readonly Part[]
  /** Bytes that were never stored. */
  hidden?: ByteRange | undefined
}

/** Bytes with the tree of their parts: pointing at a part or focusing it marks its bytes. */
export function ExplainedBytes({ bytes, parts, hidden }: ExplainedBytesProps) {
  const [focused, setFocused] = useState<ByteRange>()
  const [pointed, setPointed] = useState<ByteRange>()
  const { parts: shown, left } = firstParts(parts, maxParts)
  // The focus moved later than a pointer that rests on another part.
  const focus = (range: ByteRange) => {
    setPointed(undefined)
    setFocused(range)
  }
  return (
    <div className={styles.explained}>
      <ByteDump bytes={bytes} marked={pointed ?? focused} hidden={hidden} />
      <Parts parts={shown} marked={focused} hidden={hidden} onFocus={focus} onPoint={setPointed} />
      {left > 0 && (
        <p className="muted">
          <Plural value={left} one="# more part is not shown" other="# more parts are not shown" />
        </p>
      )}
    </div>
  )
}

interface PartsProps {
  parts: readonly Part[]
  marked: ByteRange | undefined
  hidden: ByteRange | undefined
  onFocus: (range: ByteRange) => void
  onPoint: (range: ByteRange | undefined) => void
}

const overlaps = (one: ByteRange, other: ByteRange | undefined) =>
  other !== undefined && one.from < other.to && other.from < one.to
const covers = (outer: ByteRange | undefined, inner: ByteRange) =>
  outer !== undefined && outer.from <= inner.from && inner.to <= outer.to

function Parts(props: PartsProps) {
  const { parts, marked, hidden, onFocus, onPoint } = props
  const { i18n } = useLingui()
  return (
    <ul className={styles.parts}>
      {parts.map((part) => {
        const { name, from, to, hex, meaning } = part
        const last = to - 1
        const isHidden = overlaps(part, hidden)
        // What was not stored cannot be explained.
        const inner = covers(hidden, part) ? undefined : part.parts
        return (
          <li key={`${from}-${to}-${name}`} data-small={name === 'tag' || name === 'length'}>
            <button
              type="button"
              className={styles.part}
              aria-pressed={marked === part}
              onFocus={() => onFocus(part)}
              onPointerEnter={() => onPoint(part)}
              onPointerLeave={() => onPoint(undefined)}
              onClick={() => onFocus(part)}
            >
              <span className={styles.name}>{i18n._(partLabels[name])}</span>
              <span className={styles.range}>{last > from ? `${from}–${last}` : from}</span>
              {meaning && !isHidden && (
                <span className={styles.meaning}>{meaningText(meaning, i18n)}</span>
              )}
              {!inner && !isHidden && <code className={styles.hex}>{hex}</code>}
              {!inner && isHidden && <Trans>not stored</Trans>}
            </button>
            {inner && <Parts {...props} parts={inner} />}
          </li>
        )
      })}
    </ul>
  )
}
