import { Trans } from '@lingui/react/macro'
import { Link } from '../../../../../ui/link/link.tsx'

/** The way to the log of a session. */
export const SessionLink = ({ id }: { id: string }) => (
  <Link to="/dashboard/maple/sessions/se/$id" params={{ id }} preload={false}>
    <Trans>Session</Trans>
  </Link>
)
