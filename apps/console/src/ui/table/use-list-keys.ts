import { useLingui } from '@lingui/react/macro'
import {
  useEffect,
  useEffectEvent,
  useMemo,
  useState,
  type FocusEvent,
  type RefObject,
} from 'react'
import { useListedShortcuts } from '../keyboard/shortcuts.ts'
import { commandOf, rowAfter } from './list-keys.ts'

interface ListKeys {
  frame: RefObject<HTMLElement | null>
  rows: RefObject<HTMLTableSectionElement | null>
  /** The index of the row whose panel is open, or -1. */
  openRow: number
  /** Keys for what a list cannot do are not in the help. */
  canOpen: boolean
  canEdit: boolean
  canSelect: boolean
  open: (index: number) => void
  /** Edits the row, or without one what the panel shows; returns whether there is anything to edit. */
  edit: (index: number) => boolean
  toggle: (index: number, isRange: boolean) => void
}

const typing =
  'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], [popover]'

/** The user is typing, or the key belongs to a dialog above the list. */
function isElsewhere(target: Element) {
  const modal = [...document.querySelectorAll('dialog:modal')].at(-1)
  return target.closest(typing) !== null || (modal && !modal.hasAttribute('data-panel'))
}

/**
 * The keys of a list: arrows, J, K, Home and End move between rows, Enter opens, E edits, Space
 * selects, `/` focuses the search. With a panel open beside the list, E edits what it shows, and J
 * and K open the neighbours of its row. Letters and `/` work wherever the focus is on the page. One
 * row is in the tab order.
 */
export function useListKeys(keys: ListKeys) {
  const { frame, rows, openRow, open, edit, toggle, canOpen, canEdit, canSelect } = keys
  const { t } = useLingui()
  const [current, setCurrent] = useState(0)
  const shortcuts = useMemo(
    () => [
      { keys: '/', label: t`Search` },
      { keys: 'j', label: t`Next row` },
      { keys: 'k', label: t`Previous row` },
      ...(canOpen ? [{ keys: 'Enter', label: t`Open the row` }] : []),
      ...(canEdit ? [{ keys: 'e', label: t`Edit the row` }] : []),
      ...(canSelect ? [{ keys: t`Space`, label: t`Select the row` }] : []),
    ],
    [t, canOpen, canEdit, canSelect],
  )
  useListedShortcuts(shortcuts)

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const { target, key, code } = event
    const command = commandOf(event)
    if (!command || event.defaultPrevented || !(target instanceof Element) || isElsewhere(target))
      return
    const all = [...(rows.current?.rows ?? [])].filter((row) => row.dataset['row'])
    const place = all.findIndex((row) => row === target)
    const worksAnywhere = key === '/' || code.startsWith('Key')
    if (place < 0 && !worksAnywhere) return
    const from = worksAnywhere && openRow >= 0 ? openRow : place

    if (command === 'search')
      frame.current?.querySelector<HTMLElement>('input[type=search]')?.focus()
    else if (command === 'open') open(from)
    else if (command === 'toggle') toggle(from, event.shiftKey)
    else if (command === 'edit') {
      if (!canEdit || !edit(from)) return
    } else if (worksAnywhere && openRow >= 0) {
      const next = rowAfter(command, openRow, all.length)
      all[next]?.scrollIntoView({ block: 'nearest' })
      if (next !== openRow) open(next)
    } else if (place >= 0) all[rowAfter(command, place, all.length)]?.focus()
    // From elsewhere on the page, the first key returns to the row that last had the focus.
    else all[Math.min(current, all.length - 1)]?.focus()
    event.preventDefault()
  })

  useEffect(() => {
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])

  const onFocus = ({ target }: FocusEvent) => {
    const place = [...(rows.current?.rows ?? [])].findIndex((row) => row === target)
    if (place >= 0) setCurrent(place)
  }
  return { current, onFocus }
}
