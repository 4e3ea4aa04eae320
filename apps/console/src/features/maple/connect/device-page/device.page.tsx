import type { Device } from '@grove/contract/maple/fleet/device'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouteContext } from '@tanstack/react-router'
import { Archive, Pencil, Unlink } from 'lucide-react'
import { useRef, useState, type ReactNode } from 'react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { Link } from '../../../../ui/link/link.tsx'
import { Columns } from '../../../../ui/page/columns.tsx'
import { PageHeader } from '../../../../ui/page/page-header.tsx'
import { PageTabs } from '../../../../ui/page/page-tabs.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { useKeptFocus } from '../../../../ui/page/use-kept-focus.ts'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { Pending } from '../../../../ui/page/pending.tsx'
import { PanelFailure } from '../../../../ui/panel/panel-body.tsx'
import { CopyableId } from '../../../../ui/text/copyable-id.tsx'
import { DeviceElements, DeviceFacts } from '../../fleet/device/device-details.tsx'
import { devices } from '../../fleet/device/device.api.ts'
import { DeviceStateBadge } from '../../fleet/device/device.labels.tsx'
import { EditDevice } from '../../fleet/device/form/edit-device.tsx'
import { useRetire } from '../../fleet/device/use-retire.tsx'
import { WaitingNotice } from '../../fleet/device/waiting-notice.tsx'
import { useDevicesPage } from '../../fleet/devices-page.ts'
import styles from './device.page.module.css'
import { connectionOf } from '../../fleet/device-connection.api.ts'
import { DeviceCommands } from '../device-work/device-commands.tsx'
import { DeviceTwinView } from '../device-work/device-twin-view.tsx'
import { Certificates } from './certificates.tsx'
import { DeviceMessages, DevicePresence, DeviceSecrets } from './connection.tsx'
import { deviceTabs, type DeviceTab } from './device-tabs.ts'
import { DeviceTelemetry } from './telemetry.tsx'
import { DeviceTimeline } from './timeline.tsx'

interface DevicePageProps {
  id: string
  tab: DeviceTab
}

/** Everything about one device, its actions, and its history. */
export function DevicePage({ id, tab }: DevicePageProps) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const list = useDevicesPage()
  const { data: device, error, refetch } = useQuery(devices.one(id))
  const [isEditing, setEditing] = useState(false)
  if (device === undefined)
    return error ? (
      <PanelFailure
        error={error}
        missing={t`There is no device with this ID.`}
        onRetry={() => void refetch()}
        onClose={() => void navigate({ to: list })}
      />
    ) : (
      <Pending />
    )
  const Tab = tabs[tab]
  return (
    <article className={styles.page}>
      <PageHeader
        title={<bdi>{device.name}</bdi>}
        badge={<DeviceStateBadge state={device.state} />}
        description={<CopyableId value={device.id} />}
        action={!isEditing && <DeviceActions device={device} onEdit={() => setEditing(true)} />}
      />
      <Waiting device={device} />
      <DeviceTabs deviceId={device.id} />
      {isEditing ? (
        <Section title={t`Device`}>
          <EditDevice device={device} onEnd={() => setEditing(false)} />
        </Section>
      ) : (
        <Tab device={device} />
      )}
    </article>
  )
}

/** The notice on a device that awaits acceptance; the focus stays here once it is accepted. */
function Waiting({ device }: { device: Device }) {
  const part = useRef<HTMLDivElement>(null)
  useKeptFocus(part, device.state)
  return (
    <div ref={part} tabIndex={-1} className={styles.waiting}>
      <WaitingNotice device={device} />
    </div>
  )
}

function DeviceTabs({ deviceId }: { deviceId: string }) {
  const { t } = useLingui()
  const labels: Record<DeviceTab, string> = {
    overview: t`Overview`,
    messages: t`Messages`,
    security: t`Elements and security`,
    history: t`History`,
  }
  return (
    <PageTabs
      label={t`Parts of the device`}
      tabs={deviceTabs.map((tab) => (
        <Link
          key={tab}
          to="/dashboard/maple/devices/$deviceId"
          params={{ deviceId }}
          search={tab === 'overview' ? {} : { tab }}
          activeOptions={{ exact: true, includeSearch: true }}
          preload={false}
        >
          {labels[tab]}
        </Link>
      ))}
    />
  )
}

const tabs: Record<DeviceTab, (props: { device: Device }) => ReactNode> = {
  overview: Overview,
  messages: Messages,
  security: Security,
  history: function Past({ device }) {
    const { t } = useLingui()
    return (
      <Section title={t`History`}>
        <DeviceTimeline device={device} />
      </Section>
    )
  },
}

function Overview({ device }: { device: Device }) {
  const { t } = useLingui()
  return (
    <Columns
      aside={
        <>
          <Section title={t`Connection`}>
            <DevicePresence deviceId={device.id} />
          </Section>
          <Section title={t`Device`}>
            <DeviceFacts device={device} />
          </Section>
        </>
      }
    >
      <Section title={t`Telemetry`}>
        <DeviceTelemetry deviceId={device.id} />
      </Section>
      <Section title={t`Commands`}>
        <DeviceCommands deviceId={device.id} />
      </Section>
      <Section title={t`Desired and reported`}>
        <DeviceTwinView deviceId={device.id} />
      </Section>
    </Columns>
  )
}

function Messages({ device }: { device: Device }) {
  const { t } = useLingui()
  return (
    <Section
      title={t`Messages`}
      action={
        <Link
          to="/dashboard/maple/sessions/device"
          search={{ device: device.id }}
          preload={false}
          prefetch="none"
        >
          <Trans>All connections of this device</Trans>
        </Link>
      }
    >
      <DeviceMessages deviceId={device.id} />
    </Section>
  )
}

function Security({ device }: { device: Device }) {
  const { t } = useLingui()
  const { data: connection } = useQuery(connectionOf(device.id))
  return (
    <Columns
      aside={
        <>
          <Section title={t`Secrets`}>
            <DeviceSecrets device={device} />
          </Section>
          <Section title={t`Certificates`}>
            <Certificates deviceId={device.id} />
          </Section>
        </>
      }
    >
      <Section title={t`Secure elements`}>
        <DeviceElements device={device} offered={connection?.offered} />
      </Section>
    </Columns>
  )
}

function DeviceActions({ device, onEdit }: { device: Device; onEdit: () => void }) {
  const { t } = useLingui()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
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
          refusal={viewer.isAdmin ? undefined : t`For administrators`}
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
