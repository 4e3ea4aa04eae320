import type { DeviceSession } from '@grove/contract/maple/connect/device-session'
import {
  deviceExportFormats,
  type DeviceExportFormat,
} from '@grove/contract/maple/connect/device-session.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Braces, Download, FileText } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../session/api.ts'
import { useSave } from '../../../../ui/file/use-save.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Menu } from '../../../../ui/kit/menu.tsx'
import { Tabs } from '../../../../ui/kit/tabs.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { PageHeader } from '../../../../ui/page/page-header.tsx'
import { CopyableId } from '../../../../ui/text/copyable-id.tsx'
import { Fact, FactLine } from '../../../../ui/text/fact-line.tsx'
import { DeviceCommands } from '../device-work/device-commands.tsx'
import { DeviceTwinView } from '../device-work/device-twin-view.tsx'
import { oneDeviceSession, path } from './device-session.api.ts'
import { DeviceSessionBadge, useDeviceSessionWords } from './device-session.labels.tsx'
import styles from './device-session.module.css'
import { MessageLog } from './message-log.tsx'
import { useDeviceLog } from './use-device-log.ts'

type Part = 'messages' | 'commands' | 'twin'

/** One connection of a device: its live messages, and what was requested of it. */
export function DeviceSessionPage({ id }: { id: string }) {
  const { t } = useLingui()
  const { data: session } = useSuspenseQuery(oneDeviceSession(id))
  const [part, setPart] = useState<Part>('messages')
  const live = useDeviceLog(session)
  const { deviceId, deviceName, state } = session
  return (
    <article className={styles.page}>
      <PageHeader
        title={
          <Trans>
            Session of <bdi>{deviceName}</bdi>
          </Trans>
        }
        badge={<DeviceSessionBadge state={state} />}
        description={<CopyableId value={deviceId} />}
        action={<Export session={session} />}
      />
      <Facts session={session} />
      <Tabs<Part>
        label={t`Parts of the session`}
        tabs={[
          { id: 'messages', label: t`Messages` },
          { id: 'commands', label: t`Commands` },
          { id: 'twin', label: t`Desired and reported` },
        ]}
        selected={part}
        onSelect={setPart}
      >
        {part === 'messages' && <MessageLog session={session} live={live} />}
        {part === 'commands' && <DeviceCommands deviceId={deviceId} />}
        {part === 'twin' && <DeviceTwinView deviceId={deviceId} />}
      </Tabs>
    </article>
  )
}

function Facts({ session }: { session: DeviceSession }) {
  const { t } = useLingui()
  const { ends } = useDeviceSessionWords()
  const { deviceId, deviceName, ip, protocol, agent, firmware, openedAt, endedAt, endReason } =
    session
  return (
    <FactLine>
      <Fact name={t`Device`}>
        <Link to="/dashboard/maple/devices/$deviceId" params={{ deviceId }} preload={false}>
          <bdi>{deviceName}</bdi>
        </Link>
      </Fact>
      <Fact name={t({ message: 'From', context: 'an address' })}>
        <bdi>{ip}</bdi> <span className="muted">{protocol}</span>
      </Fact>
      <Fact name={t`Program`}>
        <bdi>{agent ?? '–'}</bdi>
      </Fact>
      <Fact name={t`Firmware`}>
        <bdi>{firmware ?? '–'}</bdi>
      </Fact>
      <Fact name={t`Opened`}>
        <DateText value={openedAt} isRelative />
      </Fact>
      {endedAt !== null && (
        <Fact name={t`Ended`}>
          <DateText value={endedAt} isRelative />
        </Fact>
      )}
      {endReason !== null && <Fact name={t`Why it ended`}>{ends[endReason]}</Fact>}
    </FactLine>
  )
}

const icons = { text: FileText, json: Braces } as const

function Export({ session: { id } }: { session: DeviceSession }) {
  const { t } = useLingui()
  const save = useSave()
  const words: Record<DeviceExportFormat, string> = { text: t`As text`, json: t`As JSON` }
  const exportAs = (format: DeviceExportFormat) =>
    save(
      () => api.maple.download(`${path}/{id}/export`, { params: { id }, query: { format } }),
      `device-session-${id}.txt`,
    )
  return (
    <Menu
      label={t`Export`}
      align="end"
      items={deviceExportFormats.map((format) => ({
        id: format,
        label: words[format],
        icon: icons[format],
        onSelect: () => void exportAs(format),
      }))}
    >
      <Download size={16} aria-hidden />
      {t`Export`}
    </Menu>
  )
}
