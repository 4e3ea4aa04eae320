import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useMemo, useState } from 'react'
import { differenceOf, type Line, type Part } from './line-difference.ts'
import styles from './text-difference.module.css'

interface TextDifferenceProps {
  before: string
  after: string
}

/** Two texts compared line by line, in one column; equal lines far from any change are folded. */
export function TextDifference({ before, after }: TextDifferenceProps) {
  const difference = useMemo(() => differenceOf(before, after), [before, after])
  if (difference.status === 'too-large')
    return (
      <p className="muted">
        <Trans>These files are too large to be compared line by line.</Trans>
      </p>
    )
  if (difference.status === 'too-different')
    return (
      <p className="muted">
        <Trans>These files have too little in common to be compared line by line.</Trans>
      </p>
    )
  const { parts, added, removed, isCut } = difference
  return (
    <div className={styles.difference}>
      <p className={styles.sum}>
        <Plural value={added} one="# line added" other="# lines added" />
        {', '}
        <Plural value={removed} one="# line removed" other="# lines removed" />
      </p>
      <ol className={styles.lines}>
        {parts.map((part) => (
          <PartLines key={`${part.lines[0]?.before}:${part.lines[0]?.after}`} part={part} />
        ))}
      </ol>
      {isCut && (
        <p className="muted">
          <Trans>There are more changes than shown here.</Trans>
        </p>
      )}
    </div>
  )
}

function PartLines({ part: { kind, lines } }: { part: Part }) {
  const [isOpen, setOpen] = useState(kind === 'lines')
  if (isOpen)
    return lines.map((line) => <OneLine key={`${line.before}:${line.after}`} line={line} />)
  return (
    <li className={styles.gap}>
      <button type="button" onClick={() => setOpen(true)}>
        <Plural value={lines.length} one="Show # unchanged line" other="Show # unchanged lines" />
      </button>
    </li>
  )
}

const signs = { same: ' ', added: '+', removed: '−' } as const

function OneLine({ line: { kind, text, before, after } }: { line: Line }) {
  const { t } = useLingui()
  const words = { same: '', added: t`Added:`, removed: t`Removed:` }
  return (
    <li data-kind={kind}>
      <span className={styles.number} aria-hidden>
        {after ?? before}
      </span>
      <span className={styles.sign} aria-hidden>
        {signs[kind]}
      </span>
      {kind !== 'same' && <span className="visually-hidden">{words[kind]} </span>}
      <code dir="auto">{text}</code>
    </li>
  )
}
