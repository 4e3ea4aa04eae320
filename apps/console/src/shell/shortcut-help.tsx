import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef, useState } from 'react'
import { activeShortcuts, isMac, useShortcut } from '../ui/keyboard/shortcuts.ts'
import styles from './shortcut-help.module.css'

/** Lists the keys of the open page when `?` is pressed. */
export function ShortcutHelp() {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  useShortcut({ keys: '?', label: t`Show keyboard shortcuts` }, () => setOpen(true))
  return isOpen && <HelpDialog onClose={() => setOpen(false)} />
}

function HelpDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const dialog = useRef<HTMLDialogElement>(null)
  const [shortcuts] = useState(activeShortcuts)
  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby="shortcuts" onClose={onClose}>
      <h2 id="shortcuts">{t`Keyboard shortcuts`}</h2>
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
    </dialog>
  )
}

const keyText = (keys: string) =>
  keys.startsWith('mod+')
    ? `${isMac ? '⌘' : 'Ctrl '}${keys.slice(4).toUpperCase()}`
    : keys.length === 1
      ? keys.toUpperCase()
      : keys
