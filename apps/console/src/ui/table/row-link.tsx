import { useLocation, useRouter } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'

interface RowLinkProps {
  /** The search parameters that open the row's panel. */
  open: object
  /** The full name, if the column truncates it. */
  title: string
  children: ReactNode
}

/**
 * Opens the panel of a row. Enter on the row does the same, so the link is not a tab stop: fifty more
 * would help nobody. The router's own link resolves its page and whether it is active, which for
 * fifty links takes longer than the rest of the table.
 */
export function RowLink({ open, title, children }: RowLinkProps) {
  const router = useRouter()
  const { pathname, search } = useLocation()
  const opened = { ...search, ...open }
  const follow = (event: MouseEvent) => {
    const isElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
    if (isElsewhere || event.button !== 0) return
    event.preventDefault()
    void router.navigate({ to: '.', search: () => opened, resetScroll: false })
  }
  return (
    <a
      href={pathname + router.options.stringifySearch(opened)}
      onClick={follow}
      tabIndex={-1}
      title={title}
    >
      {children}
    </a>
  )
}
