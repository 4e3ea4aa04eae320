import { useRef, useState, type FocusEvent, type KeyboardEvent } from 'react'

interface RowKeys {
  open: (index: number) => void
  toggle: (index: number, isRange: boolean) => void
}

/** Where the focus goes from a row on a key; undefined for keys that do not move it. */
export function nextRow(key: string, current: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return Math.min(current + 1, count - 1)
    case 'ArrowUp':
      return Math.max(current - 1, 0)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}

/** Arrows, Home and End move between rows, Enter opens, Space selects; one row is in the tab order. */
export function useRowKeys({ open, toggle }: RowKeys) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [current, setCurrent] = useState(0)

  const indexOf = (target: EventTarget) =>
    target instanceof HTMLTableRowElement ? [...(body.current?.rows ?? [])].indexOf(target) : -1

  const onKeyDown = (event: KeyboardEvent) => {
    // Keys pressed in a control inside the row are the control's.
    const index = indexOf(event.target)
    if (index < 0 || event.altKey || event.ctrlKey || event.metaKey) return
    const next = nextRow(event.key, index, body.current?.rows.length ?? 0)
    if (next !== undefined) body.current?.rows[next]?.focus()
    else if (event.key === 'Enter') open(index)
    else if (event.key === ' ') toggle(index, event.shiftKey)
    else return
    event.preventDefault()
  }

  const onFocus = (event: FocusEvent) => {
    const index = indexOf(event.target)
    if (index >= 0) setCurrent(index)
  }

  return { body, current, onKeyDown, onFocus }
}
