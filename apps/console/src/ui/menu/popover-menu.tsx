import { ChevronDown } from 'lucide-react'
import { useId, useRef, type ReactNode, type ToggleEvent } from 'react'
import styles from './popover-menu.module.css'

interface PopoverMenuProps {
  /** What the button says. */
  label: ReactNode
  ariaLabel?: string
  className?: string
  children: ReactNode
}

/** A button that opens a panel below it; Escape and a click elsewhere close it. */
export function PopoverMenu({
  label,
  ariaLabel,
  className = 'button',
  children,
}: PopoverMenuProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)

  const place = (event: ToggleEvent) => {
    if (event.newState !== 'open' || !button.current || !panel.current) return
    const anchor = button.current.getBoundingClientRect()
    const { style, offsetWidth, offsetHeight } = panel.current
    const below = anchor.bottom + 4
    const fits = below + offsetHeight <= innerHeight || anchor.top < offsetHeight
    style.top = `${fits ? below : anchor.top - offsetHeight - 4}px`
    style.left = `${Math.max(8, Math.min(anchor.left, innerWidth - offsetWidth - 8))}px`
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        popoverTarget={id}
        aria-label={ariaLabel}
      >
        {label}
        <ChevronDown size={14} aria-hidden />
      </button>
      <div ref={panel} id={id} popover="auto" className={styles.panel} onToggle={place}>
        {children}
      </div>
    </>
  )
}
