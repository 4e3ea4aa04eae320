import { Trans } from '@lingui/react/macro'
import { Link } from '../../../ui/link/link.tsx'

/** Deleted, someone else's, or an address that was never right: the service does not tell which. */
export const MissingNotice = () => (
  <div className="notice">
    <p className="notice-code">404</p>
    <h1>
      <Trans>This app or version is not here</Trans>
    </h1>
    <p>
      <Trans>It has been deleted, or it belongs to a provider that you are not a member of.</Trans>
    </p>
    <Link to="/dashboard/cedar/mobile" className="button primary">
      <Trans>Go to my apps</Trans>
    </Link>
  </div>
)
