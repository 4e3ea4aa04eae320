import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { Dialog } from '../ui/dialog/dialog.tsx'
import { activeShortcuts, isMac } from '../ui/keyboard/shortcuts.ts'
import styles from './shortcut-dialog.module.css'

/** The keyboard shortcuts of the open page. */
export function ShortcutDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const [shortcuts] = useState(activeShortcuts)
  return (
    <Dialog title={t`Keyboard shortcuts`} onClose={onClose}>
      <dl className={styles.list}>
        {shortcuts.map(({ keys, label }) => (
          <div key={keys}>
            <dt>{label}</dt>
            <dd>
              <kbd>{keyText(keys)}</kbd>
            </dd>
          </div>
        ))}
      </dl>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>{t`Close`}</button>
      </div>
    </Dialog>
  )
}

const keyText = (keys: string) =>
  keys.startsWith('mod+')
    ? `${isMac ? '⌘' : 'Ctrl '}${keys.slice(4).toUpperCase()}`
    : keys.length === 1
      ? keys.toUpperCase()
      : keys
