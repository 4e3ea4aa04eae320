import type { LucideIcon } from 'lucide-react'
import { tooltip } from '../kit/tooltip.ts'

interface PanelActionProps {
  icon?: LucideIcon
  /** Why it is unavailable. */
  refusal?: string | undefined
  /** The main reason for visiting the page. */
  isPrimary?: boolean
  onAct: () => void
  label: string
}

/** An action on the item of a panel, besides Edit. */
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
