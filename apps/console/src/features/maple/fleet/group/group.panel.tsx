import type { DeviceGroup } from '@grove/contract/maple/fleet/group'
import { Trans, useLingui } from '@lingui/react/macro'
import { Trash2 } from 'lucide-react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { ItemPanel, type OpenItem } from '../../../../ui/panel/item-panel.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { PanelFacts } from '../../../../ui/panel/panel-facts.tsx'
import { useDevicesPage } from '../devices-page.ts'
import { path } from '../group.api.ts'
import { GroupDevices } from './group-devices.tsx'
import { groups } from './group.api.ts'
import { EditGroup } from './group.form.tsx'
import { kindOf, useKindWords, useRuleFacts } from './group.labels.tsx'
import { ServiceName } from '../../base/service-name.tsx'

/** One group: its devices and how they are determined, or its form. */
export function GroupPanel(panel: OpenItem) {
  const { t } = useLingui()
  return (
    <ItemPanel
      {...panel}
      query={groups.one(panel.id)}
      title={({ name }) => name}
      missing={t`There is no group with this ID.`}
      renderActions={(group) => <GroupActions group={group} onGone={panel.onClose} />}
      renderForm={(group, onEnd) => <EditGroup key={group.id} group={group} onEnd={onEnd} />}
    >
      {(group) => (
        <div className="form">
          {group.description !== '' && <p>{group.description}</p>}
          <GroupFacts group={group} />
          <GroupDevices key={group.id} group={group} />
        </div>
      )}
    </ItemPanel>
  )
}

function GroupFacts({ group: { rule, serviceId, createdAt, updatedAt } }: { group: DeviceGroup }) {
  const { t } = useLingui()
  const words = useKindWords()
  const conditions = useRuleFacts(rule ?? {})
  const owner =
    serviceId === null || rule?.serviceId !== undefined
      ? []
      : [[t`Service provider`, <ServiceName key="provider" id={serviceId} />] as const]
  return (
    <PanelFacts
      facts={[
        [t({ message: 'Kind', context: 'of a device group' }), words[kindOf({ rule })]],
        ...conditions,
        ...owner,
        [t`Created`, <DateText key="created" value={createdAt} />],
        [t`Changed`, <DateText key="changed" value={updatedAt} />],
      ]}
    />
  )
}

function GroupActions({ group, onGone }: { group: DeviceGroup; onGone: () => void }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const devicesPage = useDevicesPage()
  const { id, name, revision, rights } = group
  const remove = () =>
    confirmed({
      question: {
        title: t`Delete the group “${name}”?`,
        text: t`Its devices stay. Saved views that use the group find nothing any more.`,
        action: t`Delete the group`,
        isDanger: true,
      },
      change: () => api.maple.delete(path, { query: { id }, ifMatch: revision }),
      done: () => t`The group “${name}” is deleted.`,
      onDone: onGone,
      refresh: groups.refresh,
    })
  return (
    <>
      <Link to={devicesPage} search={{ groupId: [id] }} className="button">
        <Trans>Show in the list</Trans>
      </Link>
      <PanelAction
        icon={Trash2}
        label={t`Delete…`}
        refusal={
          rights.delete === null
            ? undefined
            : t`A rollout that is not over takes its devices from this group. Stop it or change it first.`
        }
        onAct={() => void remove()}
      />
    </>
  )
}
