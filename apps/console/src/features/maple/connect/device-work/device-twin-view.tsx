import type { DeviceTwin } from '@grove/contract/maple/connect/device-twin'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Pencil, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { PartFailure } from '../../../../ui/failure/part-failure.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { Pending } from '../../../../ui/page/pending.tsx'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'
import { DesiredEditor } from './desired-editor.tsx'
import styles from './device-work.module.css'
import { twinOf } from './device-work.api.ts'
import { shortJson } from '../../base/json-text.ts'
import { twinRows, type TwinRow, type TwinRowState } from './twin-rows.ts'
import { useChangeRefusal } from './use-change-refusal.ts'

const busyMs = 1000
const calmMs = 10_000

/** A device's desired state beside its reported state. */
export function DeviceTwinView({ deviceId }: { deviceId: string }) {
  const { t } = useLingui()
  const [isEditing, setEditing] = useState(false)
  const {
    data: twin,
    error,
    refetch,
  } = useQuery({
    ...twinOf(deviceId),
    refetchInterval: ({ state }) => ((state.data?.difference.length ?? 0) > 0 ? busyMs : calmMs),
  })
  const refusal = useChangeRefusal(twin)
  if (error && !twin) return <PartFailure error={error} refetch={refetch} />
  if (!twin) return <Pending />
  return (
    <div className={styles.part}>
      {isEditing ? (
        <DesiredEditor twin={twin} onEnd={() => setEditing(false)} />
      ) : (
        <PanelAction
          icon={Pencil}
          label={t`Change the desired state…`}
          refusal={refusal}
          onAct={() => setEditing(true)}
        />
      )}
      {twin.desiredProblem && (
        <p role="alert" className={styles.unsent}>
          <TriangleAlert size={16} aria-hidden />
          {t`The desired state was not sent: it is longer than the device accepts. Shorten it.`}
        </p>
      )}
      <Differences twin={twin} />
      <p className="muted">
        {twin.desiredAt !== null && (
          <>
            <Trans>
              Desired: version {twin.desiredVersion}, <DateText value={twin.desiredAt} isRelative />
            </Trans>
            {'. '}
          </>
        )}
        {twin.reportedAt === null ? (
          <Trans>The device has not reported anything yet.</Trans>
        ) : (
          <Trans>
            Last report <DateText value={twin.reportedAt} isRelative />
          </Trans>
        )}
      </p>
      {twin.reportedProblem && (
        <p role="alert" className={styles.error}>
          {twin.reportedProblem === 'too_long'
            ? t`The last report was not stored: the state would have been too long.`
            : t`The last report was not stored: the state would have been nested too deeply.`}
        </p>
      )}
    </div>
  )
}

const kinds: Record<TwinRowState, StateKind> = {
  same: 'good',
  waiting: 'waiting',
  unsent: 'bad',
  refused: 'bad',
  different: 'warning',
  reported: 'idle',
}

function Differences({ twin }: { twin: DeviceTwin }) {
  const { t } = useLingui()
  const rows = twinRows(twin)
  if (rows.length === 0)
    return (
      <p className="muted">
        <Trans>There is no desired state and no reported state.</Trans>
      </p>
    )
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it
    <section className={styles.table} tabIndex={0} aria-label={t`Values`}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t`Key`}</th>
            <th scope="col">{t({ message: 'Desired', context: 'state of a device' })}</th>
            <th scope="col">{t({ message: 'Reported', context: 'state of a device' })}</th>
            <th scope="col">{t`State`}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <DifferenceRow key={row.path.join('\n')} row={row} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function DifferenceRow({ row: { path, desired, reported, state, reason } }: { row: TwinRow }) {
  const { t } = useLingui()
  const words: Record<TwinRowState, string> = {
    same: t({ message: 'As desired', context: 'a key of a device' }),
    waiting: t({ message: 'No answer yet', context: 'a key of a device' }),
    unsent: t({ message: 'Not sent', context: 'a key of a device' }),
    refused: t({ message: 'Refused', context: 'a key of a device' }),
    different: t({ message: 'Different', context: 'a key of a device' }),
    reported: t({ message: 'Only reported', context: 'a key of a device' }),
  }
  return (
    <tr data-state={state}>
      <th scope="row">
        <bdi>{path.join(' › ')}</bdi>
      </th>
      <td>
        {desired === undefined ? <span className="muted">–</span> : <Value value={desired} />}
      </td>
      <td>
        {reported === undefined ? <span className="muted">–</span> : <Value value={reported} />}
      </td>
      <td>
        <StateBadge kind={kinds[state]} text={words[state]} />
        {reason !== undefined && <p className={styles.error}>{reason}</p>}
      </td>
    </tr>
  )
}

const Value = ({ value }: { value: unknown }) => (
  <code className={styles.json}>{shortJson(value)}</code>
)
