import type { LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Link } from '../link/link.tsx'

interface MissingProps {
  title: ReactNode
  /** Why it may be so. */
  text: ReactNode
  /** The page to go to, without parameters, and what names it. */
  list: Exclude<LinkProps['to'], `${string}$${string}` | `.${string}` | undefined>
  link: ReactNode
}

/** In place of the page of something that was deleted, is someone else’s or never was. */
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
