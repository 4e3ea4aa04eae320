import {
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type AriaAttributes,
  type FocusEvent,
  type MouseEvent,
  type ReactNode,
} from 'react'
import { followAnchor, type Placement } from './anchor.ts'
import { useLoadable, type Loadable } from './loadable.ts'
import { LoadFailure } from './load-failure.tsx'
import styles from './popover-button.module.css'

export interface ButtonProps extends AriaAttributes {
  id?: string
  className?: string
  disabled?: boolean
}

interface PanelProps {
  onClose: () => void
}

interface PopoverButtonProps<Props extends object> {
  source: Loadable<Props & PanelProps>
  popup: 'menu' | 'dialog' | 'listbox'
  panelProps: Props
  /** The attributes of the button, such as its label. */
  button: ButtonProps
  align?: Placement['align']
  /** Labels the panel; a menu labels itself. */
  panelLabel?: string
  children: ReactNode
}

// Enter and Space too: React Aria takes the resulting click for a screen reader's, and leaves the
// focus on the menu instead of its first item.
const openingKeys = ['ArrowDown', 'Enter', ' ']

/**
 * A native button that opens a native popover. The panel's code is fetched on hover and focus; a
 * click before it arrives opens the panel as soon as it does. Escape and a click outside close it,
 * and the focus returns to the button.
 */
export function PopoverButton<Props extends object>(props: PopoverButtonProps<Props>) {
  const { source, popup, align = 'start' } = props
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const popover = useRef<HTMLDivElement>(null)
  const [isWanted, setWanted] = useState(false)
  const code = useLoadable(source)
  const isOpen = isWanted && (code.status === 'ready' || code.status === 'failed')
  // The press that closes an open panel must not reopen it.
  const wasOpen = useRef(false)

  useLayoutEffect(() => {
    if (!isOpen || !button.current || !popover.current) return
    popover.current.style.minWidth = `${button.current.offsetWidth}px`
    popover.current.showPopover()
    // React focuses what it mounts before the popover is shown, which has no effect.
    popover.current.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    return followAnchor(button.current, popover.current, { side: 'bottom', align })
  }, [isOpen, align])

  // A reader who has moved on while the code was loading is not pulled back.
  useEffect(() => {
    if (!isWanted || isOpen) return
    const giveUp = (event: KeyboardEvent | PointerEvent) => {
      const isOwn = event.target instanceof Node && button.current?.contains(event.target)
      if (event.type === 'pointerdown' ? !isOwn : (event as KeyboardEvent).key === 'Escape')
        setWanted(false)
    }
    addEventListener('pointerdown', giveUp)
    addEventListener('keydown', giveUp)
    return () => {
      removeEventListener('pointerdown', giveUp)
      removeEventListener('keydown', giveUp)
    }
  }, [isWanted, isOpen])

  const close = () => {
    const hasFocus = popover.current?.contains(document.activeElement)
    setWanted(false)
    if (hasFocus || document.activeElement === document.body)
      button.current?.focus({ preventScroll: true })
  }
  const hide = () => popover.current?.hidePopover()
  const open = () => {
    source.prefetch()
    setWanted(true)
  }
  const press = ({ detail }: MouseEvent) => {
    // A key press has no pointer event before it.
    const isClosing = detail === 0 ? isWanted : wasOpen.current
    wasOpen.current = false
    if (isClosing) close()
    else open()
  }
  const leave = ({ relatedTarget }: FocusEvent) => {
    const isInside = relatedTarget === button.current || popover.current?.contains(relatedTarget)
    if (relatedTarget && !isInside) setWanted(false)
  }

  return (
    <>
      <button
        type="button"
        {...props.button}
        ref={button}
        aria-haspopup={popup}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-busy={(isWanted && !isOpen) || undefined}
        onPointerEnter={source.prefetch}
        onFocus={source.prefetch}
        onPointerDown={() => (wasOpen.current = isWanted)}
        onClick={press}
        onKeyDown={(event) => {
          if (isWanted || !openingKeys.includes(event.key)) return
          event.preventDefault()
          open()
        }}
      >
        {props.children}
      </button>
      {isOpen && (
        // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- its children are interactive; it only listens
        <div
          ref={popover}
          id={id}
          popover="auto"
          className={styles.panel}
          {...(props.panelLabel && { role: 'dialog', 'aria-label': props.panelLabel })}
          onToggle={(event) => event.newState === 'closed' && close()}
          onBlur={leave}
          // React bubbles these to the ancestors too: a panel's events do not concern the form or
          // dialog around it.
          onKeyDown={(event) => event.key === 'Escape' && event.stopPropagation()}
        >
          {code.status === 'ready' ? (
            <code.Component {...props.panelProps} onClose={hide} />
          ) : (
            <LoadFailure onRetry={source.prefetch} />
          )}
        </div>
      )}
    </>
  )
}
