import type { ReactNode } from 'react'
import styles from './popover-menu.module.css'

interface MenuItemProps {
  onSelect: () => void
  /** Why it is unavailable. */
  disabledReason?: string | undefined
  isDanger?: boolean
  children: ReactNode
}

/** An action of a menu, which closes the menu. */
export const MenuItem = ({ onSelect, disabledReason, isDanger, children }: MenuItemProps) => (
  <button
    type="button"
    role="menuitem"
    className={styles.item}
    data-danger={isDanger || undefined}
    aria-disabled={disabledReason !== undefined}
    onClick={(event) => {
      if (disabledReason !== undefined) return
      event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
      onSelect()
    }}
  >
    <span>{children}</span>
    {disabledReason !== undefined && <small>{disabledReason}</small>}
  </button>
)
