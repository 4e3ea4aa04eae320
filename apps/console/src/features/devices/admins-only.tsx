import { Trans } from '@lingui/react/macro'
import { Link } from '../../components/link.tsx'

/** For a developer who has the address of a page that is for admins. */
export const AdminsOnly = () => (
  <div className="notice" role="alert">
    <h1>
      <Trans>Devices are for administrators</Trans>
    </h1>
    <p>
      <Trans>
        You are signed in as a developer. The fleet is run by administrators: ask one of them for
        the administrator role, or to make the change for you.
      </Trans>
    </p>
    <Link to="/dashboard" className="button primary">
      <Trans>Go to your pages</Trans>
    </Link>
  </div>
)
