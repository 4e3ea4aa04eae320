import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { Part } from '@grove/secure-element/part'
import { useEffect, useRef } from 'react'
import type { ByteRange } from './byte-dump.tsx'
import styles from './explained-bytes.module.css'
import type { FirstParts } from './first-parts.ts'
import { meaningText } from './meaning-text.ts'
import { partsInside } from './part-at.ts'
import { partLabels } from './part.labels.ts'

export interface PartChoice {
  /** The selected part. */
  marked: ByteRange | undefined
  /** The part whose bytes are hovered over elsewhere. */
  pointed?: ByteRange | undefined
  hidden: ByteRange | undefined
  onFocus: (part: Part) => void
  onPoint: (part: Part | undefined) => void
}

const overlaps = (one: ByteRange, other: ByteRange | undefined) =>
  other !== undefined && one.from < other.to && other.from < one.to

/** The parts of the bytes, nested. */
export const PartTree = ({
  tree: { parts, left },
  ...choice
}: PartChoice & { tree: FirstParts }) => (
  <>
    <Branch parts={parts} {...choice} />
    {left > 0 && (
      <p className="muted">
        <Plural value={left} one="# more part is not shown" other="# more parts are not shown" />
      </p>
    )}
  </>
)

const Branch = (props: PartChoice & { parts: readonly Part[] }) => (
  <ul className={styles.parts}>
    {props.parts.map((part) => {
      const inner = partsInside(part, props.hidden)
      const { name, from, to } = part
      return (
        <li key={`${from}-${to}-${name}`} data-small={name === 'tag' || name === 'length'}>
          <PartButton {...props} part={part} isLeaf={!inner} />
          {inner && <Branch {...props} parts={inner} />}
        </li>
      )
    })}
  </ul>
)

interface PartButtonProps extends PartChoice {
  part: Part
  isLeaf: boolean
}

function PartButton(props: PartButtonProps) {
  const { part, isLeaf, marked, pointed, hidden, onFocus, onPoint } = props
  const { i18n } = useLingui()
  const { name, from, to, hex, meaning } = part
  const button = useRef<HTMLButtonElement>(null)
  const last = to - 1
  const isHidden = overlaps(part, hidden)
  const isMarked = marked === part
  useEffect(() => {
    // It may have been selected through its bytes, while out of view.
    if (isMarked) button.current?.scrollIntoView({ block: 'nearest' })
  }, [isMarked])
  return (
    <button
      ref={button}
      type="button"
      className={styles.part}
      aria-pressed={isMarked}
      data-pointed={pointed === part}
      onFocus={() => onFocus(part)}
      onPointerEnter={() => onPoint(part)}
      onPointerLeave={() => onPoint(undefined)}
      onClick={() => onFocus(part)}
    >
      <span className={styles.name}>{i18n._(partLabels[name])}</span>
      <span className={styles.range}>{last > from ? `${from}–${last}` : from}</span>
      {meaning && !isHidden && <span>{meaningText(meaning, i18n)}</span>}
      {isLeaf && !isHidden && <code className={styles.hex}>{hex}</code>}
      {isLeaf && isHidden && <Trans>not stored</Trans>}
    </button>
  )
}
