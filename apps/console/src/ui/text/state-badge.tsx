import {
  Circle,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleSlash,
  OctagonX,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react'
import styles from './state-badge.module.css'

/** The meanings of a state, each with its own shape. */
export type StateKind = 'good' | 'ready' | 'waiting' | 'idle' | 'warning' | 'bad' | 'ended'

const shapes: Record<StateKind, LucideIcon> = {
  good: CircleCheck,
  ready: CircleDot,
  waiting: CircleDashed,
  idle: Circle,
  warning: TriangleAlert,
  bad: OctagonX,
  ended: CircleSlash,
}

/** A state as a word and a shape; the colour only repeats them. */
export function StateBadge({ kind, text }: { kind: StateKind; text: string }) {
  // A third-party service may send no state, or one of its own.
  const Shape = shapes[kind] as LucideIcon | undefined
  return (
    <span className={styles.badge} data-kind={kind}>
      {Shape ? <Shape size={14} aria-hidden /> : '–'}
      {text}
    </span>
  )
}
