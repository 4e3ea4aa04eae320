import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

export const NotFound = () => (
  <NotFoundNotice>
    <Link to="/" className="button primary">
      <Trans>Go to the start page</Trans>
    </Link>
  </NotFoundNotice>
)

/** The same inside the dashboard, with a link to its first page. */
export const DashboardNotFound = () => (
  <NotFoundNotice>
    <Link to="/dashboard" className="button primary">
      <Trans>Go to the dashboard</Trans>
    </Link>
  </NotFoundNotice>
)

const NotFoundNotice = ({ children }: { children: ReactNode }) => (
  <div className="notice">
    <p className="notice-code">404</p>
    <h1>
      <Trans>Page not found</Trans>
    </h1>
    <p>
      <Trans>The page may have moved, or the URL may be mistyped.</Trans>
    </p>
    {children}
  </div>
)
