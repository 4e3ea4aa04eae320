import { useLingui } from '@lingui/react/macro'
import { Trash2 } from 'lucide-react'
import { useId } from 'react'
import styles from './danger-zone.module.css'
import { Section } from './section.tsx'

interface DangerZoneProps {
  /** What is deleted with it. */
  text: string
  action: string
  /** Why it cannot be deleted now. */
  reason: string | undefined
  onDelete: () => void
}

export function DangerZone({ text, action, reason, onDelete }: DangerZoneProps) {
  const { t } = useLingui()
  const id = useId()
  return (
    <Section title={t`Danger zone`} description={text}>
      <div className={styles.actions}>
        <button
          type="button"
          className={`button ${styles.delete}`}
          aria-disabled={reason !== undefined}
          aria-describedby={reason && id}
          onClick={() => reason === undefined && onDelete()}
        >
          <Trash2 size={16} aria-hidden />
          {action}
        </button>
        {reason && (
          <p id={id} className="muted">
            {reason}
          </p>
        )}
      </div>
    </Section>
  )
}
