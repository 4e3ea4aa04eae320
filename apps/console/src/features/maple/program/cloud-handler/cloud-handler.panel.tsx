import { Trans, useLingui } from '@lingui/react/macro'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { ItemPanel, type OpenItem } from '../../../../ui/panel/item-panel.tsx'
import { PanelFacts } from '../../../../ui/panel/panel-facts.tsx'
import { handlers } from './cloud-handler.api.ts'
import { HandlerStateBadge, useTriggerText } from './cloud-handler.labels.tsx'

/** A summary of one handler, with a link to its page. */
export function HandlerPanel(panel: OpenItem) {
  const { t } = useLingui()
  const triggerText = useTriggerText()
  return (
    <ItemPanel
      {...panel}
      query={handlers.one(panel.id)}
      title={({ name }) => name}
      missing={t`There is no cloud handler with this ID.`}
      renderActions={({ id }) => (
        <Link to="/dashboard/maple/cloud_handlers/$id" params={{ id }} className="button primary">
          <Trans>Open</Trans>
        </Link>
      )}
    >
      {({ state, trigger, deployed, isChanged, lastRunAt, nextAt }) => (
        <PanelFacts
          facts={[
            [t`State`, <HandlerStateBadge key="state" state={state} />],
            [t`Runs on`, triggerText(deployed?.trigger ?? trigger)],
            [
              t({ message: 'Version', context: 'of a handler' }),
              deployed ? deployed.version : t`Not published`,
            ],
            ...(deployed && isChanged ? [[t`Draft`, t`Unpublished changes`] as const] : []),
            ...(nextAt ? [[t`Next run`, <DateText key="next" value={nextAt} />] as const] : []),
            [t`Last run`, lastRunAt ? <DateText key="last" value={lastRunAt} isRelative /> : '–'],
          ]}
        />
      )}
    </ItemPanel>
  )
}
