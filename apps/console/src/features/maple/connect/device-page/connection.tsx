import type { Device } from '@grove/contract/maple/fleet/device'
import type {
  DeviceConnection,
  DeviceCredential,
  DeviceMessage,
} from '@grove/contract/maple/connect/device-connection'
import { maxCredentials } from '@grove/contract/maple/connect/device-connection.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { KeyRound, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { invalidate } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import { SecretDialog } from '../../../../ui/dialog/secret-dialog.tsx'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { PartFailure } from '../../../../ui/failure/part-failure.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { Pending } from '../../../../ui/page/pending.tsx'
import { PanelFacts } from '../../../../ui/panel/panel-facts.tsx'
import { ConnectionBadge } from '../../fleet/connection.labels.tsx'
import { connectionOf } from '../../fleet/device-connection.api.ts'
import styles from './device.page.module.css'
import { RivalsNotice } from './rivals-notice.tsx'

const path = '/api/maple/device/credential'

/** Whether a device is connected, and since when. */
export function DevicePresence({ deviceId }: { deviceId: string }) {
  const { data, error, refetch } = useQuery(connectionOf(deviceId))
  if (error && !data) return <PartFailure error={error} refetch={refetch} />
  if (!data) return <Pending />
  return (
    <>
      <Presence connection={data} />
      {data.rivals && <RivalsNotice rivals={data.rivals} />}
    </>
  )
}

/** A device's last messages. */
export function DeviceMessages({ deviceId }: { deviceId: string }) {
  const { data, error, refetch } = useQuery(connectionOf(deviceId))
  if (error && !data) return <PartFailure error={error} refetch={refetch} />
  if (!data) return <Pending />
  return <Messages messages={data.messages} />
}

function Presence({ connection }: { connection: DeviceConnection }) {
  const { t } = useLingui()
  const { state, connectedAt, seenAt, agent, firmware, lost, refused } = connection
  return (
    <>
      <p className={styles.line}>
        <ConnectionBadge state={state} />
      </p>
      {state !== 'never' && (
        <PanelFacts
          facts={[
            [
              t`Connected since`,
              <DateText key="since" value={state === 'connected' ? connectedAt : null} />,
            ],
            [t`Last heard`, <DateText key="seen" value={seenAt} isRelative />],
            [t`Program`, <bdi key="agent">{agent ?? '–'}</bdi>],
            [t`Firmware`, <bdi key="firmware">{firmware ?? '–'}</bdi>],
            [t`Lost messages`, lost],
          ]}
        />
      )}
      {refused && (
        <div className={styles.notice}>
          <TriangleAlert size={16} aria-hidden />
          <div>
            <p>
              <strong>
                <Trans>A message from the device was refused</Trans>
              </strong>
              <span className="muted">
                {' · '}
                <DateText value={refused.at} isRelative />
              </span>
            </p>
            <p>
              <bdi lang="en">{refused.error}</bdi>
            </p>
            <p className="muted">
              <Trans>It was not stored. Fix the device’s program.</Trans>
            </p>
          </div>
        </div>
      )}
    </>
  )
}

/** The secrets that a device connects with: created here or exchanged for claim codes. */
export function DeviceSecrets({ device: { id: deviceId, name, state } }: { device: Device }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const [made, setMade] = useState<DeviceCredential & { secret: string }>()
  const { data, error, refetch } = useQuery(api.maple.query(path, { query: { deviceId } }))
  const refresh = () => invalidate('maple', path)
  const items = data?.items ?? []
  const isFull = items.length >= maxCredentials
  const make = () =>
    confirmed({
      question: {
        title: t`Create a secret for this device?`,
        text: t`It is shown once. The device connects with it; an existing secret stays valid until you revoke it.`,
        action: t`Create a secret`,
      },
      change: async () => setMade(await api.maple.post(path, { body: { deviceId } })),
      done: () => t`The secret is ready.`,
      refresh,
    })
  const revoke = ({ id }: DeviceCredential) =>
    confirmed({
      question: {
        title: t`Revoke this secret?`,
        text: t`A connection with it is closed within seconds, and the device cannot connect with it again.`,
        action: t`Revoke`,
        isDanger: true,
      },
      change: () => api.maple.delete(path, { query: { id } }),
      done: () => t`The secret is revoked.`,
      refresh,
    })
  const refusal =
    state === 'retired'
      ? t`A retired device cannot connect.`
      : isFull
        ? t`The device has two secrets. Revoke one first.`
        : undefined
  return (
    <>
      {made && (
        <SecretDialog
          title={t`Secret of “${name}”`}
          text={t`Copy the secret now and give it to the program on the device. Grove does not show it again.`}
          secret={made.secret}
          user={made.isAtBroker ? made.id : undefined}
          onClose={() => setMade(undefined)}
        />
      )}
      {error && !data && <PartFailure error={error} refetch={refetch} />}
      {data && items.length === 0 && (
        <p className={`muted ${styles.line}`}>
          <Trans>
            The device has no secret yet. Without one, it can connect only with a certificate.
          </Trans>
        </p>
      )}
      <ul className={styles.list}>
        {items.map((item) => (
          <li key={item.id}>
            <span>
              <Trans>
                Created <DateText value={item.createdAt} />
              </Trans>
              {item.createdBy === null && (
                <>
                  {' · '}
                  <Trans>with a claim code</Trans>
                </>
              )}
              {' · '}
              {item.usedAt === null ? (
                <Trans>not used yet</Trans>
              ) : (
                <Trans>
                  first used <DateText value={item.usedAt} />
                </Trans>
              )}
              {item.isAtBroker && (
                <>
                  <br />
                  <Trans>
                    User name at the broker: <code>{item.id}</code>
                  </Trans>
                </>
              )}
            </span>
            <button type="button" className="button small" onClick={() => void revoke(item)}>
              <Trans>Revoke…</Trans>
            </button>
          </li>
        ))}
      </ul>
      <PanelAction
        icon={KeyRound}
        label={t`New secret…`}
        refusal={refusal}
        onAct={() => void make()}
      />
    </>
  )
}

function Messages({ messages }: { messages: readonly DeviceMessage[] }) {
  const { t } = useLingui()
  return (
    <>
      {messages.length === 0 && (
        <p className="muted">
          <Trans>Nothing yet.</Trans>
        </p>
      )}
      {messages.length > 0 && (
        <ol className={styles.list} aria-label={t`Messages`}>
          {messages.map(({ id, kind, receivedAt, isClockOff, data }) => (
            <li key={id}>
              <span>
                {kind} <code className={styles.data}>{JSON.stringify(data)}</code>
              </span>
              <span className="muted">
                {isClockOff && (
                  <>
                    <Trans>Wrong clock</Trans>
                    {' · '}
                  </>
                )}
                <DateText value={receivedAt} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </>
  )
}
