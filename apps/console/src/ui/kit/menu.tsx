import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { loadable } from './loadable.ts'
import { PopoverButton, type ButtonProps } from './popover-button.tsx'

export interface MenuItem {
  id: string
  label: string
  icon?: LucideIcon
  onSelect: () => void
  isDanger?: boolean
  /** Why it is unavailable; the item stays in the menu and says so. */
  disabledReason?: string | undefined
}

export type MenuEntry = MenuItem | 'separator'

interface MenuProps {
  /** Labels the menu, and the button if `children` is only an icon. */
  label: string
  items: readonly MenuEntry[]
  /** The content of the button. */
  children: ReactNode
  button?: ButtonProps
  align?: 'start' | 'end'
}

const panel = loadable(() => import('./menu-panel.tsx').then(({ MenuPanel }) => MenuPanel))

/** A button with a menu of actions. */
export const Menu = ({ label, items, children, button, align = 'start' }: MenuProps) => (
  <PopoverButton
    source={panel}
    popup="menu"
    align={align}
    button={{ className: 'button', ...button }}
    panelProps={{ label, items }}
  >
    {children}
  </PopoverButton>
)
