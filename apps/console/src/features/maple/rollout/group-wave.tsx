import type { RolloutGroup } from '@grove/contract/maple/rollout/rollout'
import { errorsOf } from '@grove/contract/maple/rollout/rollout.rules'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '../../../ui/link/link.tsx'
import { GroupStateBadge, useGroupName } from './page.labels.tsx'
import { PartMark, ProgressBar } from './progress-bar.tsx'
import styles from './rollout.module.css'

/** One group: a bar, its numbers, and what would pause it. */
export function GroupWave({ id, group }: { id: string; group: RolloutGroup }) {
  const { t, i18n } = useLingui()
  const name = useGroupName()(group.number)
  const { total, succeeded, running, queued, skipped, cancelled, isTolerant } = group
  const errors = errorsOf(group)
  const number = (count: number) => i18n.number(count)
  const numbers = (
    [
      ['succeeded', t`${number(succeeded)} succeeded`, true],
      ['failed', t`${number(errors)} failed`, errors > 0],
      ['running', t`${number(running)} running`, running > 0],
      ['queued', t`${number(queued)} waiting`, queued > 0],
      ['skipped', t`${number(skipped)} skipped`, skipped > 0],
      ['skipped', t`${number(cancelled)} cancelled`, cancelled > 0],
    ] as const
  ).filter(([, , isShown]) => isShown)
  return (
    <li data-state={group.state}>
      <div className={styles.line}>
        <strong>{name}</strong>
        <span className="muted">
          {t`${plural(total, { one: '# device', other: '# devices' })}`}
        </span>
        <GroupStateBadge state={group.state} />
        {total > 0 && (
          <Link
            to="/dashboard/maple/rollouts/$id"
            params={{ id }}
            search={{ group: group.number }}
            preload={false}
            className={styles.devices ?? ''}
            aria-label={t`Devices of ${name}`}
          >
            <Trans>Devices</Trans>
          </Link>
        )}
      </div>
      <ProgressBar counts={group} label={name} />
      <small className="muted">
        {numbers.map(([kind, text], index) => (
          <span key={text}>
            {index > 0 && ' · '}
            <PartMark kind={kind} />
            {text}
          </span>
        ))}
      </small>
      {(group.state === 'running' || group.state === 'failed') && (
        <small className="muted">
          {isTolerant ? <Trans>Its failures were accepted.</Trans> : <Thresholds group={group} />}
        </small>
      )}
    </li>
  )
}

function Thresholds({ group }: { group: RolloutGroup }) {
  const { t } = useLingui()
  const { success, errorShare, errorMinimum, mostErrors } = group
  if (mostErrors === 1) return t`Pauses at the first failure.`
  return mostErrors === null
    ? t`The next group starts at ${success} % success. It pauses above ${errorShare} % failures among finished devices, once there are ${errorMinimum}.`
    : t`The next group starts at ${success} % success. It pauses above ${errorShare} % failures among finished devices, once there are ${errorMinimum}, and at ${mostErrors} failures.`
}
