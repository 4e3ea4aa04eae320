import type { RolloutExecution } from '@grove/contract/maple/rollout/rollout'
import { Trans, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { Link } from '../../../ui/link/link.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { ExecutionStateBadge, useCauseText, useGroupName } from './page.labels.tsx'
import { executionsQuery } from './rollout.api.ts'
import styles from './rollout.module.css'
import type { RolloutPageSearch } from './rollout.search.ts'

/** Where a cause links to. */
export const executionsId = 'devices'

interface ExecutionsSectionProps {
  id: string
  search: RolloutPageSearch
  isFollowed: boolean
}

/** The devices of a rollout: all, or those of a group or a cause. */
export function ExecutionsSection({ id, search, isFollowed }: ExecutionsSectionProps) {
  const { t } = useLingui()
  const causeText = useCauseText()
  const nameOf = useGroupName()
  const loading = useQuery({
    ...executionsQuery(id, search, isFollowed),
    placeholderData: keepPreviousData,
  })
  const { data } = loading
  const { cause, group } = search
  const of =
    cause !== undefined ? causeText(cause) : group !== undefined ? nameOf(group) : undefined
  const page = (cursor: string | null | undefined, label: string) =>
    cursor && (
      <Link
        to="/dashboard/maple/rollouts/$id"
        params={{ id }}
        search={{ ...search, cursor }}
        hash={executionsId}
        preload={false}
        className="button"
      >
        {label}
      </Link>
    )
  return (
    <Section
      id={executionsId}
      title={t`Devices`}
      loading={loading}
      description={of}
      action={
        of !== undefined && (
          <Link
            to="/dashboard/maple/rollouts/$id"
            params={{ id }}
            search={{}}
            hash={executionsId}
            preload={false}
            className="button quiet"
          >
            <Trans>Show all devices</Trans>
          </Link>
        )
      }
    >
      {data?.items.length === 0 && (
        <p className="muted">
          <Trans>None.</Trans>
        </p>
      )}
      <ul className={styles.executions}>
        {data?.items.map((execution) => (
          <Execution key={execution.deviceId} execution={execution} />
        ))}
      </ul>
      <div className="actions">
        {page(data?.previous, t`Previous`)}
        {page(data?.next, t`Next`)}
      </div>
    </Section>
  )
}

function Execution({ execution }: { execution: RolloutExecution }) {
  const { t } = useLingui()
  const causeText = useCauseText()
  const nameOf = useGroupName()
  const { deviceId, deviceName, group, state, cause, sessionId, attempts, endedAt } = execution
  const name = deviceName ?? deviceId
  return (
    <li>
      <div className={styles.line}>
        <Link to="/dashboard/maple/devices/$deviceId" params={{ deviceId }} preload={false}>
          <bdi>{name}</bdi>
        </Link>
        <ExecutionStateBadge state={state} />
        {sessionId && (
          <Link
            to="/dashboard/maple/sessions/se/$id"
            params={{ id: sessionId }}
            preload={false}
            aria-label={t`Session of ${name}`}
          >
            <Trans>Session</Trans>
          </Link>
        )}
        <small className={`muted ${styles.end}`}>
          {group !== null && nameOf(group)}
          {attempts > 1 && ` · ${t`attempt ${attempts}`}`}
          {endedAt !== null && (
            <>
              {' · '}
              <DateText value={endedAt} isRelative />
            </>
          )}
        </small>
      </div>
      {cause !== null && <small>{causeText(cause)}</small>}
    </li>
  )
}
