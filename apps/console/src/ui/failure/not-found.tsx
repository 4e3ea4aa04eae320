import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'

export const NotFound = () => (
  <div className="notice">
    <p className="notice-code">404</p>
    <h1>
      <Trans>There is no page at this address</Trans>
    </h1>
    <p>
      <Trans>It may have moved, or the address has a typing mistake.</Trans>
    </p>
    <Link to="/" className="button primary">
      <Trans>Go to the start page</Trans>
    </Link>
  </div>
)
