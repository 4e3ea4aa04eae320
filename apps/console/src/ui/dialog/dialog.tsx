import { X } from 'lucide-react'
import { useId, useLayoutEffect, useRef, type PointerEvent, type ReactNode } from 'react'
import { iconName } from '../kit/tooltip.ts'
import { rememberFocus } from './return-focus.ts'

interface DialogProps {
  title: ReactNode
  /** Shown before the title, and the small print below it. */
  icon?: ReactNode
  subtitle?: ReactNode
  /** The label of the close button in the corner; without it the content has its own. */
  closeLabel?: string
  /**
   * `content`: as wide as text to read, and on a phone full-screen. `drawer`: a column at the left
   * edge, whose title is only for screen readers.
   */
  size?: 'form' | 'content' | 'drawer'
  /** Called by Escape, a click outside the dialog, and the browser's own ways to close it. */
  onClose: () => void
  /** A question interrupts: a screen reader reads its text together with its title. */
  question?: ReactNode
  /**
   * Where the focus goes if the element that opened the dialog is gone; by default the surrounding
   * panel or page.
   */
  focusAfter?: () => HTMLElement | null
  children: ReactNode
}

/**
 * Every dialog of the dashboard. It closes before it is unmounted, so that the focus returns to its
 * opener.
 */
export function Dialog(props: DialogProps) {
  const { title, icon, subtitle, closeLabel, question, onClose, focusAfter, children } = props
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const isPressedBeside = useRef(false)
  const afterwards = useRef(focusAfter)

  useLayoutEffect(() => {
    const element = dialog.current
    const returnFocus = rememberFocus(afterwards.current)
    element?.showModal()
    // The first field of a form, not the button in the corner.
    element?.querySelector<HTMLElement>('form :is(input, select, textarea)')?.focus()
    return () => {
      element?.close()
      returnFocus()
    }
  }, [])

  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- Escape does the same
    <dialog
      ref={dialog}
      className="dialog"
      data-size={props.size}
      role={question === undefined ? undefined : 'alertdialog'}
      aria-labelledby={id}
      aria-describedby={question === undefined ? undefined : `${id}-text`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented || event.nativeEvent.isComposing)
          return
        // Handled only here: the panel behind must not close too, nor may the key answer a question
        // that `onClose` asks.
        event.preventDefault()
        event.stopPropagation()
        if (!event.repeat) onClose()
      }}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      // A dialog that is being unmounted is closed already. A browser may close one unasked: it is
      // reopened, and its owner decides.
      onClose={() => {
        if (dialog.current?.open !== false) return
        dialog.current.showModal()
        onClose()
      }}
      // A press that began inside, such as one that selects text, does not close it.
      onPointerDown={(event) => (isPressedBeside.current = isBeside(event))}
      onClick={(event) => {
        // The second click of the double click that opened it.
        const isDouble = event.detail > 1
        if (isPressedBeside.current && isBeside(event) && !isDouble) onClose()
      }}
    >
      {closeLabel === undefined ? (
        <h2 id={id}>{title}</h2>
      ) : (
        <header className="dialog-head">
          {icon}
          <div>
            <h2 id={id}>{title}</h2>
            {subtitle && <p className="muted">{subtitle}</p>}
          </div>
          <button
            type="button"
            className="button quiet icon"
            {...iconName(closeLabel)}
            onClick={onClose}
          >
            <X size={16} aria-hidden />
          </button>
        </header>
      )}
      {question !== undefined && <div id={`${id}-text`}>{question}</div>}
      {children}
    </dialog>
  )
}

type Press = Pick<PointerEvent, 'target' | 'currentTarget' | 'clientX' | 'clientY'>

function isBeside({ target, currentTarget, clientX, clientY }: Press) {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect()
  const isWithin = clientX >= left && clientX <= right && clientY >= top && clientY <= bottom
  return target === currentTarget && !isWithin
}
