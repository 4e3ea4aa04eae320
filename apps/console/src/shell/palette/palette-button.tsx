import { useLingui } from '@lingui/react/macro'
import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { onDemand } from '../../ui/kit/on-demand.tsx'
import { isMac, useShortcut } from '../../ui/keyboard/shortcuts.ts'
import styles from './palette-button.module.css'

const Palette = onDemand(() => import('./palette.tsx').then((module) => module.Palette))

/** Opens the palette, also with ⌘K or Ctrl+K; its code loads when it is about to be used. */
export function PaletteButton() {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const label = t`Search or jump to`
  useShortcut({ keys: 'mod+k', label }, () => setOpen(true))
  const typedSoFar = useTyped(isOpen)
  return (
    <>
      <button
        type="button"
        className={`button ${styles.button}`}
        aria-keyshortcuts="Meta+K Control+K"
        onPointerEnter={Palette.prefetch}
        onFocus={Palette.prefetch}
        onClick={() => setOpen(true)}
      >
        <Search size={16} aria-hidden />
        <span className={styles.label}>{label}</span>
        <kbd className={styles.keys}>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {isOpen && <Palette typedSoFar={typedSoFar} onClose={() => setOpen(false)} />}
    </>
  )
}

const patienceMs = 3000
const modal = () => document.querySelector('dialog:modal')

/** What is typed before the palette’s code has loaded, when there is no field yet. */
function useTyped(isOpen: boolean) {
  const typed = useRef('')
  useEffect(() => {
    if (!isOpen) return
    // Before the page’s own shortcuts, which ignore prevented events.
    const keep = (event: KeyboardEvent) => {
      if (event.key.length > 1 || event.ctrlKey || event.metaKey || modal()) return
      typed.current += event.key
      event.preventDefault()
    }
    // Not forever: a palette that failed to load must give the page its keys back.
    addEventListener('keydown', keep, { capture: true, signal: AbortSignal.timeout(patienceMs) })
    return () => {
      typed.current = ''
      removeEventListener('keydown', keep, true)
    }
  }, [isOpen])
  return () => typed.current
}
