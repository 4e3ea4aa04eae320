import { useLingui } from '@lingui/react/macro'
import { Search } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { withTexts } from '../../ui/i18n/locale.ts'
import { isMac, useShortcut } from '../../ui/keyboard/shortcuts.ts'
import styles from './palette-button.module.css'

const load = withTexts(() => import('./palette.tsx'))
const Palette = lazy(async () => ({ default: (await load()).Palette }))
const prefetch = () => void load().catch(() => {})

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
        onPointerEnter={prefetch}
        onFocus={prefetch}
        onClick={() => setOpen(true)}
      >
        <Search size={16} aria-hidden />
        <span className={styles.label}>{label}</span>
        <kbd className={styles.keys}>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {isOpen && (
        <Suspense>
          <Palette onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
