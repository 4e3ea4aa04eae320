import { useLingui } from '@lingui/react/macro'
import type { LucideIcon } from 'lucide-react'
import { useId, type ReactNode } from 'react'
import styles from './danger-zone.module.css'
import { Section } from '../../../ui/page/section.tsx'

/** Actions that are hard to undo, each with its button. */
export function DangerZone({ children }: { children: ReactNode }) {
  const { t } = useLingui()
  return (
    <Section title={t`Danger zone`}>
      <ul className={styles.actions}>{children}</ul>
    </Section>
  )
}

interface DangerActionProps {
  icon: LucideIcon
  /** What it does. */
  text: string
  label: string
  /** Why it is unavailable. */
  reason: string | undefined
  onAct: () => void
}

export function DangerAction({ icon: Icon, text, label, reason, onAct }: DangerActionProps) {
  const id = useId()
  return (
    <li>
      <p id={id}>
        {text}
        {reason && <span className="muted"> {reason}</span>}
      </p>
      <button
        type="button"
        className={`button ${styles.act}`}
        aria-disabled={reason !== undefined}
        aria-describedby={id}
        onClick={() => reason === undefined && onAct()}
      >
        <Icon size={16} aria-hidden />
        {label}
      </button>
    </li>
  )
}
