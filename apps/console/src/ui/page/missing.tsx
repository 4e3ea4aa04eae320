import type { LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Link } from '../link/link.tsx'

interface MissingProps {
  title: ReactNode
  /** Why it may be missing. */
  text: ReactNode
  /** The page to go to, without parameters, and its label. */
  list: Exclude<LinkProps['to'], `${string}$${string}` | `.${string}` | undefined>
  link: ReactNode
}

/** Replaces the page of an item that was deleted, is someone else’s or never existed. */
export const Missing = ({ title, text, list, link }: MissingProps) => (
  <div className="notice">
    <p className="notice-code">404</p>
    <h1>{title}</h1>
    <p>{text}</p>
    <Link to={list} className="button primary">
      {link}
    </Link>
  </div>
)
