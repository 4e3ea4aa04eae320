import { useLingui } from '@lingui/react/macro'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { onDemand } from '../../ui/kit/on-demand.tsx'
import { isMac, useShortcut } from '../../ui/keyboard/shortcuts.ts'
import styles from './palette-button.module.css'

const Palette = onDemand(() => import('./palette.tsx').then((module) => module.Palette))

/** Opens the palette, also by ⌘K or Ctrl+K; its code loads when it is about to be used. */
export function PaletteButton() {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const label = t`Search or jump to`
  useShortcut({ keys: 'mod+k', label }, () => setOpen(true))
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
      {isOpen && <Palette onClose={() => setOpen(false)} />}
    </>
  )
}
