import { Trans } from '@lingui/react/macro'
import { Link } from '../../../ui/link/link.tsx'

export const MissingScript = () => (
  <div className="notice">
    <p className="notice-code">404</p>
    <h1>
      <Trans>There is no such script</Trans>
    </h1>
    <p>
      <Trans>It was deleted, or it belongs to another provider.</Trans>
    </p>
    <Link to="/dashboard/maple/scripts" className="button primary">
      <Trans>Go to the scripts</Trans>
    </Link>
  </div>
)
