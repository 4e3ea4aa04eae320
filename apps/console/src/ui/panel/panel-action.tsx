import type { LucideIcon } from 'lucide-react'
import { tooltip } from '../kit/tooltip.ts'

interface PanelActionProps {
  icon?: LucideIcon
  /** Why it cannot be done. */
  refusal?: string | undefined
  /** What most people come to the page for. */
  isPrimary?: boolean
  onAct: () => void
  label: string
}

/** Something to do with the item of a panel, beside Edit. */
export const PanelAction = ({ icon: Icon, refusal, isPrimary, onAct, label }: PanelActionProps) => (
  <button
    type="button"
    className={isPrimary ? 'button primary' : 'button'}
    aria-disabled={refusal !== undefined}
    {...tooltip(refusal)}
    onClick={() => refusal === undefined && onAct()}
  >
    {Icon && <Icon size={16} aria-hidden />}
    {label}
  </button>
)
