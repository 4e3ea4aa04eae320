import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useShortcut } from '../ui/keyboard/shortcuts.ts'
import { onDemand, usePrefetch } from '../ui/kit/on-demand.tsx'

const ShortcutDialog = onDemand(() =>
  import('./shortcut-dialog.tsx').then((module) => module.ShortcutDialog),
)

/** Lists the open page's shortcuts when `?` is pressed. */
export function ShortcutHelp() {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  usePrefetch(ShortcutDialog)
  useShortcut({ keys: '?', label: t`Show keyboard shortcuts` }, () => setOpen(true))
  return isOpen && <ShortcutDialog onClose={() => setOpen(false)} />
}
