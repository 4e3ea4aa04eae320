import type { PublishKey } from '@grove/contract/cedar/publish-key'
import { useLingui } from '@lingui/react/macro'
import { Trash2 } from 'lucide-react'
import { Person } from '../../../people/person.tsx'
import { api } from '../../../session/api.ts'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { ItemPanel, type OpenItem } from '../../../ui/panel/item-panel.tsx'
import { PanelAction } from '../../../ui/panel/panel-action.tsx'
import { PanelFacts } from '../../../ui/panel/panel-facts.tsx'
import { publishKeys } from './publish-key.api.ts'
import { KeyEnd, KeyProvider, LastUse } from './publish-key.labels.tsx'

/** One key: its details, and how to revoke it. */
export function PublishKeyPanel(panel: OpenItem) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const revoke = ({ id, name }: PublishKey) =>
    confirmed({
      question: {
        title: t`Revoke the key “${name}”?`,
        text: t`A build server that uses it can no longer publish. This cannot be undone.`,
        action: t`Revoke the key`,
        isDanger: true,
      },
      change: () => api.cedar.delete('/api/developer/publishKey', { query: { id } }),
      done: () => t`The key is revoked.`,
      onDone: panel.onClose,
      refresh: publishKeys.refresh,
    })
  return (
    <ItemPanel
      {...panel}
      query={publishKeys.one(panel.id)}
      title={({ name }) => name}
      missing={t`There is no key with this ID.`}
      renderActions={(key) => (
        <PanelAction icon={Trash2} label={t`Revoke…`} onAct={() => void revoke(key)} />
      )}
    >
      {(key) => (
        <PanelFacts
          facts={[
            [t`Key`, <code key="key">grove_publish_…{key.ending}</code>],
            [
              t({ message: 'Provider', context: 'of apps' }),
              <KeyProvider key="provider" {...key} />,
            ],
            [t`Last used`, <LastUse key="used" {...key} />],
            [t`Expires`, <KeyEnd key="end" {...key} />],
            [t`Created`, <DateText key="created" value={key.createdAt} />],
            [t`Created by`, <Person key="by" id={key.createdBy} isCopyable />],
          ]}
        />
      )}
    </ItemPanel>
  )
}
