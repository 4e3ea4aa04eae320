import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { useEffect, useId, useRef, type ReactNode } from 'react'
import { mainId } from '../page/route-announcer.tsx'
import styles from './side-panel.module.css'

interface SidePanelProps {
  title: ReactNode
  /** Small print below the title, such as an id. */
  subtitle?: ReactNode
  onClose: () => void
  children: ReactNode
}

/**
 * One thing of a list, beside the list, which stays in use; a phone shows the panel alone. It takes
 * the focus when it opens, Escape closes it, and the focus goes back to where it was.
 */
export function SidePanel({ title, subtitle, onClose, children }: SidePanelProps) {
  const { t } = useLingui()
  const id = useId()
  const panel = useRef<HTMLElement>(null)

  useEffect(() => {
    const before = document.activeElement
    panel.current?.focus({ preventScroll: true })
    return () => {
      const target = before instanceof HTMLElement && before !== document.body ? before : undefined
      // After the list is shown again, which a phone hides.
      setTimeout(() => {
        if (document.activeElement !== document.body) return
        const row = document.querySelector<HTMLElement>('tr[aria-current]')
        const next = target?.isConnected ? target : (row ?? document.getElementById(mainId))
        next?.focus({ preventScroll: true })
      })
    }
  }, [])

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape, wherever in it the focus is
    <aside
      ref={panel}
      className={styles.panel}
      aria-labelledby={id}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        // The same key press must not answer the question that closing may ask.
        event.preventDefault()
        onClose()
      }}
    >
      <header className={styles.header}>
        <div className={styles.title}>
          <h2 id={id}>{title}</h2>
          {subtitle}
        </div>
        <button
          type="button"
          className="button quiet icon"
          aria-label={t`Close the panel`}
          title={t`Close the panel`}
          onClick={onClose}
        >
          <X size={16} />
        </button>
      </header>
      <div className={styles.body}>{children}</div>
    </aside>
  )
}
