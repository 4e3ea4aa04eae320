import { useEffect, useEffectEvent } from 'react'

/** A keyboard shortcut of the open page. */
export interface Shortcut {
  /** As in `event.key`; `mod+k` is ⌘K on a Mac and Ctrl+K elsewhere. */
  keys: string
  /** What it does, for the help. */
  label: string
}

const active = new Map<symbol, Shortcut>()

/** The shortcuts of the open page, each key once, latest registration first. */
export const activeShortcuts = (): Shortcut[] => [
  ...new Map([...active.values()].map((shortcut) => [shortcut.keys, shortcut])).values(),
]

export const isMac = /mac|iphone|ipad/i.test(navigator.platform)

const textFields = 'input:not([type="checkbox"], [type="radio"]), textarea, select'

// A list that names its keys ignores letters: those belong to the page.
const editors = '[contenteditable="true"], [role="menu"], [role="listbox"]:not([aria-keyshortcuts])'

/** Whether the keys belong to a field, an editor or an open dialog rather than to the page. */
const isTaken = (event: KeyboardEvent) =>
  event.target instanceof Element &&
  (event.target.matches(textFields) || event.target.closest(editors) !== null)

const matches = (keys: string, event: KeyboardEvent) => {
  const isMod = event.ctrlKey || event.metaKey
  if (keys.startsWith('mod+')) return isMod && event.key.toLowerCase() === keys.slice(4)
  return !isMod && !event.altKey && event.key.toLowerCase() === keys
}

/** Lists keys in the help that something else on the page handles. */
export function useListedShortcuts(shortcuts: readonly Shortcut[]) {
  useEffect(() => {
    const ids = shortcuts.map((shortcut) => {
      const id = Symbol(shortcut.keys)
      active.set(id, shortcut)
      return id
    })
    return () => ids.forEach((id) => active.delete(id))
  }, [shortcuts])
}

/**
 * Runs `action` when the key is pressed outside fields and modal dialogs, and lists it in the help.
 * `isEnabled: false` disables it meanwhile.
 */
export function useShortcut({ keys, label }: Shortcut, action: () => void, isEnabled = true) {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const isGlobal = keys.startsWith('mod+')
    if (event.defaultPrevented || event.repeat || !matches(keys, event)) return
    if (!isGlobal && (isTaken(event) || document.querySelector('dialog:modal'))) return
    event.preventDefault()
    action()
  })
  useEffect(() => {
    if (!isEnabled) return
    const id = Symbol(keys)
    active.set(id, { keys, label })
    addEventListener('keydown', onKeyDown)
    return () => {
      active.delete(id)
      removeEventListener('keydown', onKeyDown)
    }
  }, [keys, label, isEnabled])
}
