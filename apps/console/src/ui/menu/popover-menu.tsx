import { ChevronDown } from 'lucide-react'
import {
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type ToggleEvent,
} from 'react'
import { choicesOf, moveByArrows } from './arrow-keys.ts'
import { tooltip } from '../kit/tooltip.ts'
import styles from './popover-menu.module.css'

interface PopoverMenuProps {
  /** The button's label. */
  label: ReactNode
  ariaLabel?: string
  title?: string
  className?: string
  hasChevron?: boolean
  /** Contains actions, each a MenuItem, instead of checkboxes. */
  isMenu?: boolean
  tabIndex?: number
  children: ReactNode
}

/**
 * A button that opens a panel below it; Escape and a click outside close it. The content is only
 * rendered while it is open: a table has one menu per row.
 */
export function PopoverMenu(props: PopoverMenuProps) {
  const { label, className = 'button', hasChevron = true, isMenu = false } = props
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)

  const onToggle = (event: ToggleEvent) => {
    if (event.newState !== 'open' || !button.current || !panel.current) return
    const anchor = button.current.getBoundingClientRect()
    const { style, offsetWidth, offsetHeight } = panel.current
    const below = anchor.bottom + 4
    const fits = below + offsetHeight <= innerHeight || anchor.top < offsetHeight
    style.top = `${fits ? below : anchor.top - offsetHeight - 4}px`
    style.left = `${Math.max(8, Math.min(anchor.left, innerWidth - offsetWidth - 8))}px`
    choicesOf(panel.current)[0]?.focus({ preventScroll: true })
  }

  const openByArrow = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    event.stopPropagation()
    panel.current?.showPopover()
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        popoverTarget={id}
        aria-label={props.ariaLabel}
        {...tooltip(props.title)}
        aria-haspopup={isMenu ? 'menu' : undefined}
        tabIndex={props.tabIndex}
        onKeyDown={openByArrow}
      >
        {label}
        {hasChevron && <ChevronDown size={14} aria-hidden />}
      </button>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- arrow keys move between the choices, which have the focus */}
      <div
        ref={panel}
        id={id}
        popover="auto"
        role={isMenu ? 'menu' : undefined}
        aria-label={isMenu ? props.ariaLabel : undefined}
        className={styles.panel}
        onBeforeToggle={(event) => setOpen(event.newState === 'open')}
        onToggle={onToggle}
        onKeyDown={moveByArrows}
      >
        {isOpen && props.children}
      </div>
    </>
  )
}
