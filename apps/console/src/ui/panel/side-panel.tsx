import { useLingui } from '@lingui/react/macro'
import { ChevronDown, ChevronUp, X } from 'lucide-react'
import {
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useSyncExternalStore,
  type ReactNode,
} from 'react'
import { useTabTitle } from '../page/page-title.ts'
import { mainId } from '../page/route-announcer.tsx'
import { iconName } from '../kit/tooltip.ts'
import styles from './side-panel.module.css'

export interface SidePanelProps {
  title: ReactNode
  /** The name for the tab's title, if it differs from the title. */
  tabTitle?: string | undefined
  /** Small print below the title, such as an ID. */
  subtitle?: ReactNode
  /** The actions, which stay visible while the rest scrolls. */
  actions?: ReactNode
  /** Identifies the content: when it changes, the focus moves. Undefined while loading. */
  mode?: 'details' | 'form' | undefined
  /** Opens a neighbour in the list; undefined at either end. */
  onPrevious?: (() => void) | undefined
  onNext?: (() => void) | undefined
  onClose: () => void
  children: ReactNode
}

/** From this width on the list stays usable beside the panel; below it, the panel covers the list. */
const wide = matchMedia('(min-width: 1280px)')
const subscribe = (listener: () => void) => {
  wide.addEventListener('change', listener)
  return () => wide.removeEventListener('change', listener)
}

const fields =
  'input:not([type=hidden], :disabled), select:not(:disabled), textarea:not(:disabled), .field > button[aria-haspopup=listbox]'

/**
 * One item of a list: beside it on a wide screen, over it on a narrow one. Escape closes it; if a
 * form has unsaved changes, the navigation that closes it asks first.
 */
export function SidePanel(props: SidePanelProps) {
  const { title, mode, onPrevious, onNext, onClose } = props
  const { t } = useLingui()
  const id = useId()
  const panel = useRef<HTMLDialogElement>(null)
  const isWide = useSyncExternalStore(subscribe, () => wide.matches)
  useTabTitle(props.tabTitle ?? (typeof title === 'string' ? title : undefined))
  useReturnedFocus()

  /** The element that had the focus in a panel that closes to reopen in the other mode. */
  const held = useRef<Element>(null)
  useLayoutEffect(() => {
    const dialog = panel.current
    const focused = held.current ?? document.activeElement
    if (isWide) dialog?.show()
    else dialog?.showModal()
    if (focused instanceof HTMLElement && dialog?.contains(focused)) focused.focus()
    else dialog?.focus({ preventScroll: true })
    return () => {
      const { activeElement } = document
      // A modal dialog returns the focus to the page as it closes.
      held.current = dialog?.contains(activeElement) ? activeElement : null
      dialog?.close()
    }
  }, [isWide])

  const shown = useRef<SidePanelProps['mode']>(undefined)
  useEffect(() => {
    if (mode === undefined || mode === shown.current) return
    const isFirst = shown.current === undefined
    shown.current = mode
    if (mode === 'form') panel.current?.querySelector<HTMLElement>(`form :is(${fields})`)?.focus()
    else if (!isFirst)
      (panel.current?.querySelector<HTMLElement>('[data-edit]') ?? panel.current)?.focus()
  }, [mode])

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape, wherever in it the focus is
    <dialog
      ref={panel}
      data-panel
      className={styles.panel}
      aria-labelledby={id}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        // Otherwise the same key press would also close the question that it raises.
        event.preventDefault()
        onClose()
      }}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        onClose()
      }}
      // A browser may close it on a second press regardless.
      onClose={(event) => {
        if (event.target !== event.currentTarget || panel.current?.open !== false) return
        panel.current.showModal()
        onClose()
      }}
    >
      <header className={styles.header}>
        <div className={styles.title}>
          <h2 id={id}>{title}</h2>
          {props.subtitle}
        </div>
        <div className={styles.tools}>
          {(onPrevious ?? onNext) && (
            <>
              <Step label={t`Previous row (K)`} onStep={onPrevious} icon={ChevronUp} />
              <Step label={t`Next row (J)`} onStep={onNext} icon={ChevronDown} />
            </>
          )}
          <Step label={t`Close the panel`} onStep={onClose} icon={X} />
        </div>
        {props.actions && <div className={styles.actions}>{props.actions}</div>}
      </header>
      <div className={styles.body}>{props.children}</div>
    </dialog>
  )
}

interface StepProps {
  label: string
  onStep: (() => void) | undefined
  icon: typeof X
}

const Step = ({ label, onStep, icon: Icon }: StepProps) => (
  <button
    type="button"
    className="button quiet icon"
    {...iconName(label)}
    aria-disabled={onStep === undefined}
    onClick={onStep}
  >
    <Icon size={16} />
  </button>
)

/** When the panel closes, the focus goes to the row that it showed last. */
function useReturnedFocus() {
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    row.current = document.querySelector<HTMLElement>('tr[aria-current]') ?? row.current
  })
  // Before the panel takes the focus, which its own effect does next.
  useLayoutEffect(() => {
    const before = document.activeElement
    return () => {
      // Once the list is usable again, which it is not under a narrow screen's panel.
      setTimeout(() => {
        const { activeElement } = document
        const isElsewhere =
          activeElement && activeElement !== document.body && activeElement !== before
        if (isElsewhere && activeElement.id !== mainId) return
        const isLeft =
          before instanceof HTMLElement && before !== document.body && before.isConnected
        const next = row.current?.isConnected ? row.current : isLeft ? before : undefined
        ;(next ?? document.getElementById(mainId))?.focus({ preventScroll: true })
      })
    }
  }, [])
}
