import { Trans } from '@lingui/react/macro'
import { Link } from '../../../ui/link/link.tsx'

export const MissingDeviceHandler = () => (
  <div className="notice">
    <p className="notice-code">404</p>
    <h1>
      <Trans>There is no such device handler</Trans>
    </h1>
    <p>
      <Trans>It was deleted, or it belongs to another provider.</Trans>
    </p>
    <Link to="/dashboard/maple/device_handlers" className="button primary">
      <Trans>Go to the device handlers</Trans>
    </Link>
  </div>
)
