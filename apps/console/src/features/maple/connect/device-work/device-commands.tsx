import type { DeviceCommand } from '@grove/contract/maple/connect/device-command'
import {
  type DeviceCommandState,
  isUnderWay,
} from '@grove/contract/maple/connect/device-command.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../../session/api.ts'
import { PartFailure } from '../../../../ui/failure/part-failure.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Pending } from '../../../../ui/page/pending.tsx'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'
import { useAttempt } from '../../../../ui/toast/use-attempt.ts'
import { CommandForm } from './command-form.tsx'
import styles from './device-work.module.css'
import { commandPath, commandsOf, refreshCommands } from './device-work.api.ts'
import { shortJson } from '../../base/json-text.ts'

const pageSize = 20
const maxShown = 200
const busyMs = 1000
const calmMs = 10_000

/** The commands sent to a device with their outcomes, and a form to send more. */
export function DeviceCommands({ deviceId }: { deviceId: string }) {
  const { t } = useLingui()
  const [limit, setLimit] = useState(pageSize)
  const { data, error, refetch } = useQuery({
    ...commandsOf(deviceId, limit),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) =>
      state.data?.items.some((each) => isUnderWay(each.state)) ? busyMs : calmMs,
  })
  if (error && !data) return <PartFailure error={error} refetch={refetch} />
  return (
    <div className={styles.part}>
      <CommandForm deviceId={deviceId} />
      {!data && <Pending />}
      {data?.items.length === 0 && (
        <p className="muted">
          <Trans>No command was sent yet.</Trans>
        </p>
      )}
      {data && data.items.length > 0 && (
        <ol className={styles.commands} aria-label={t`Commands`}>
          {data.items.map((command) => (
            <CommandRow key={command.id} command={command} />
          ))}
        </ol>
      )}
      {data && data.next !== null && limit < maxShown && (
        <button type="button" className="button" onClick={() => setLimit(maxShown)}>
          <Trans>Show older</Trans>
        </button>
      )}
    </div>
  )
}

const kinds: Record<DeviceCommandState, StateKind> = {
  queued: 'waiting',
  sent: 'waiting',
  succeeded: 'good',
  failed: 'bad',
  expired: 'idle',
  cancelled: 'ended',
}

function CommandRow({ command }: { command: DeviceCommand }) {
  const { t } = useLingui()
  const attempt = useAttempt()
  const { id, name, data, state, result, error, attempts, createdAt, expiresAt, rights } = command
  const words: Record<DeviceCommandState, string> = {
    queued: t({ message: 'Waits for the device', context: 'a command' }),
    sent: t({ message: 'Sent', context: 'a command' }),
    succeeded: t({ message: 'Succeeded', context: 'a command' }),
    failed: t({ message: 'Failed', context: 'a command' }),
    expired: t({ message: 'Expired', context: 'a command' }),
    cancelled: t({ message: 'Cancelled', context: 'a command' }),
  }
  const cancel = async () => {
    await attempt(() => api.maple.post(`${commandPath}/{id}/cancel`, { params: { id } }))
    await refreshCommands()
  }
  return (
    <li>
      <div className={styles.commandHead}>
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <StateBadge kind={kinds[state]} text={words[state]} />
        {state === 'queued' && rights.cancel === null && (
          <button type="button" className="button small" onClick={() => void cancel()}>
            <Trans>Cancel</Trans>
          </button>
        )}
        <span className="muted">
          <DateText value={createdAt} isRelative />
        </span>
      </div>
      {data !== null && <code className={styles.json}>{shortJson(data)}</code>}
      {error !== null && <p className={styles.error}>{error}</p>}
      {result !== null && (
        <p>
          <span className="muted">{t`Answer:`}</span>{' '}
          <code className={styles.json}>{shortJson(result)}</code>
        </p>
      )}
      {isUnderWay(state) && (
        <p className="muted">
          <Trans>
            Expires <DateText value={expiresAt} isRelative />
          </Trans>
        </p>
      )}
      {attempts > 1 && (
        <p className="muted">
          <Trans>Sent {attempts} times: the connection was lost in between.</Trans>
        </p>
      )}
    </li>
  )
}
