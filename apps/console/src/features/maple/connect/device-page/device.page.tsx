import type { Device } from '@grove/contract/maple/fleet/device'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Archive, Pencil, Unlink } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { Columns } from '../../../../ui/page/columns.tsx'
import { PageHeader } from '../../../../ui/page/page-header.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { PanelFailure, PanelSkeleton } from '../../../../ui/panel/panel-body.tsx'
import { CopyableId } from '../../../../ui/text/copyable-id.tsx'
import { DeviceDetails } from '../../fleet/device/device-details.tsx'
import { devices } from '../../fleet/device/device.api.ts'
import { DeviceStateBadge } from '../../fleet/device/device.labels.tsx'
import { EditDevice } from '../../fleet/device/form/edit-device.tsx'
import { useRetire } from '../../fleet/device/use-retire.tsx'
import styles from './device.page.module.css'
import { connectionOf } from '../../fleet/device-connection.api.ts'
import { DeviceCommands } from '../device-work/device-commands.tsx'
import { DeviceTwinView } from '../device-work/device-twin-view.tsx'
import { DeviceConnectionView } from './connection.tsx'
import { DeviceTelemetry } from './telemetry.tsx'
import { DeviceTimeline } from './timeline.tsx'

/** Everything about one device, what can be done with it, and what happened to it. */
export function DevicePage({ id }: { id: string }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { data: device, error, refetch } = useQuery(devices.one(id))
  const [isEditing, setEditing] = useState(false)
  if (device === undefined)
    return error ? (
      <PanelFailure
        error={error}
        missing={t`There is no device with this ID.`}
        onRetry={() => void refetch()}
        onClose={() => void navigate({ to: '/dashboard/maple/devices' })}
      />
    ) : (
      <PanelSkeleton />
    )
  return (
    <article className={styles.page}>
      <PageHeader
        title={<bdi>{device.name}</bdi>}
        badge={<DeviceStateBadge state={device.state} />}
        description={<CopyableId value={device.id} />}
        action={!isEditing && <DeviceActions device={device} onEdit={() => setEditing(true)} />}
      />
      <Columns
        aside={
          <>
            <Section title={t`Commands`}>
              <DeviceCommands deviceId={device.id} />
            </Section>
            <Section title={t`Desired and reported`}>
              <DeviceTwinView deviceId={device.id} />
            </Section>
            <Section title={t`History`}>
              <DeviceTimeline device={device} />
            </Section>
          </>
        }
      >
        <Section title={t`Device`}>
          {isEditing ? (
            <EditDevice device={device} onEnd={() => setEditing(false)} />
          ) : (
            <LiveDetails device={device} />
          )}
        </Section>
        <Section title={t`Connection`}>
          <DeviceConnectionView device={device} />
        </Section>
        <Section title={t`Telemetry`}>
          <DeviceTelemetry deviceId={device.id} />
        </Section>
      </Columns>
    </article>
  )
}

function LiveDetails({ device }: { device: Device }) {
  const { data: connection } = useQuery(connectionOf(device.id))
  return <DeviceDetails device={device} offered={connection?.offered} />
}

function DeviceActions({ device, onEdit }: { device: Device; onEdit: () => void }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const { retire, refusal } = useRetire(confirmed)
  const { innerId, accountId, name } = device
  const unlink = (wearable: string) =>
    confirmed({
      question: {
        title: t`Unlink “${name}” from its account?`,
        text: t`The account can no longer use the device. Another account can be bound to it.`,
        action: t`Unlink from the account`,
        isDanger: true,
      },
      change: () => api.cedar.post('/api/admin/wearable/unlink', { body: { innerId: wearable } }),
      done: () => t`The wearable is unlinked.`,
      refresh: devices.refresh,
    })
  return (
    <div className="actions">
      <button type="button" className="button primary" onClick={onEdit}>
        <Pencil size={16} aria-hidden />
        <Trans>Edit</Trans>
      </button>
      {innerId !== null && accountId !== null && (
        <PanelAction
          icon={Unlink}
          label={t`Unlink from the account…`}
          onAct={() => void unlink(innerId)}
        />
      )}
      <PanelAction
        icon={Archive}
        label={t`Retire…`}
        refusal={refusal(device)}
        onAct={() => void retire(device)}
      />
    </div>
  )
}
