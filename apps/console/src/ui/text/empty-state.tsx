import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface EmptyStateProps {
  icon: LucideIcon
  title: string
  /** What belongs here. */
  text: ReactNode
  /** The first step. */
  action?: ReactNode
}

export const EmptyState = ({ icon: Icon, title, text, action }: EmptyStateProps) => (
  <section className="empty-state">
    <Icon size={32} aria-hidden />
    <h2>{title}</h2>
    <p>{text}</p>
    {action}
  </section>
)
