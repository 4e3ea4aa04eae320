import type { ReactNode } from 'react'
import { Link } from '../link/link.tsx'

interface RowLinkProps {
  /** The search parameters that open the row's panel. */
  open: object
  /** The whole name, where the column cuts it. */
  title: string
  children: ReactNode
}

/**
 * Opens the panel of a row. Enter on the row does the same, so the link is no stop of the Tab key:
 * fifty more would help nobody.
 */
export const RowLink = ({ open, title, children }: RowLinkProps) => (
  <Link
    to="."
    search={(now) => ({ ...now, ...open })}
    resetScroll={false}
    preload={false}
    prefetch="hover"
    tabIndex={-1}
    title={title}
  >
    {children}
  </Link>
)
