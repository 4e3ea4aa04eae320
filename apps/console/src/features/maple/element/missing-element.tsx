import { Trans } from '@lingui/react/macro'
import { Link } from '../../../ui/link/link.tsx'

export const MissingElement = () => (
  <div className="notice">
    <p className="notice-code">404</p>
    <h1>
      <Trans>There is no element with this CPLC</Trans>
    </h1>
    <p>
      <Trans>It was deleted, or the address is not that of an element.</Trans>
    </p>
    <Link to="/dashboard/maple/secure_elements" className="button primary">
      <Trans>Go to the secure elements</Trans>
    </Link>
  </div>
)
