import { Trans } from '@lingui/react/macro'
import { Link } from '../../../ui/link/link.tsx'

export const MissingSession = () => (
  <div className="notice">
    <p className="notice-code">404</p>
    <h1>
      <Trans>There is no such session</Trans>
    </h1>
    <p>
      <Trans>
        It belongs to another provider, its log was kept for its time and deleted, or the address is
        mistyped.
      </Trans>
    </p>
    <Link to="/dashboard/maple/sessions/se" className="button primary">
      <Trans>Go to the sessions</Trans>
    </Link>
  </div>
)
