import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '../../../../ui/link/link.tsx'
import { ItemPanel, type OpenItem } from '../../../../ui/panel/item-panel.tsx'
import { applets } from './applet.api.ts'
import { AppletStateBadge } from './applet.labels.tsx'
import { CapView } from './cap-view.tsx'

/** A summary of one applet, with a link to its page. */
export function AppletPanel(panel: OpenItem) {
  const { t } = useLingui()
  return (
    <ItemPanel
      {...panel}
      query={applets.one(panel.id)}
      title={({ name, version }) => `${name} ${version}`}
      missing={t`There is no applet with this ID.`}
      renderActions={({ id }) => (
        <Link to="/dashboard/maple/applets/$id" params={{ id }} className="button primary">
          <Trans>Open</Trans>
        </Link>
      )}
    >
      {(applet) => (
        <div className="form">
          <div>
            <AppletStateBadge state={applet.state} />
          </div>
          <CapView cap={applet} />
        </div>
      )}
    </ItemPanel>
  )
}
