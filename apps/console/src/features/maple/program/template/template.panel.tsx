import type { TemplateItem } from '@grove/contract/maple/program/template'
import { Trans, useLingui } from '@lingui/react/macro'
import { ListChecks } from 'lucide-react'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { ItemPanel, type OpenItem } from '../../../../ui/panel/item-panel.tsx'
import { PanelFacts } from '../../../../ui/panel/panel-facts.tsx'
import { templates } from './template.api.ts'
import { TemplateStateBadge } from './template.labels.tsx'

/** A summary of a template, with a link to its page. */
export function TemplatePanel(panel: OpenItem) {
  const { t } = useLingui()
  return (
    <ItemPanel
      {...panel}
      query={templates.one(panel.id)}
      title={({ name }) => name}
      missing={t`There is no such template.`}
      renderActions={({ id }) => (
        <Link
          className="button primary"
          to="/dashboard/maple/templates/$id"
          params={{ id }}
          preload={false}
        >
          <ListChecks size={16} aria-hidden />
          <Trans>Open the steps</Trans>
        </Link>
      )}
    >
      {(template) => <Facts template={template} />}
    </ItemPanel>
  )
}

function Facts({ template }: { template: TemplateItem }) {
  const { t } = useLingui()
  const { about, state, version, isChanged, stepCount, createdAt, updatedAt } = template
  return (
    <div className="form">
      {about !== '' && <p>{about}</p>}
      <PanelFacts
        facts={[
          [t`State`, <TemplateStateBadge key="state" state={state} />],
          [t({ message: 'Version', context: 'of a template' }), version ?? '–'],
          [
            t({ message: 'Draft', context: 'what is edited' }),
            isChanged ? t`Unpublished changes` : t`Matches the published version`,
          ],
          [t({ message: 'Steps', context: 'of a template' }), stepCount],
          [t`Changed`, <DateText key="changed" value={updatedAt} />],
          [t`Created`, <DateText key="created" value={createdAt} />],
        ]}
      />
    </div>
  )
}
