import {
  retriedStates,
  type ExecutionState,
  type RetriedState,
} from '@grove/contract/maple/rollout/rollout.rules'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { Link } from '../../../ui/link/link.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { executionsId } from './executions-section.tsx'
import { ExecutionStateBadge, useCauseText, useGroupName } from './page.labels.tsx'
import { causesQuery } from './rollout.api.ts'
import styles from './rollout.module.css'
import { useRetry } from './use-retry.ts'

const isRetried = (state: ExecutionState): state is RetriedState =>
  (retriedStates as readonly ExecutionState[]).includes(state)

interface CausesSectionProps {
  id: string
  chosen: string | undefined
  isFollowed: boolean
  /** The rollout is over, so another one can retry what failed. */
  canRetry: boolean
}

/** Why devices failed: each cause in words, with links to its devices and to a retry. */
export function CausesSection({ id, chosen, isFollowed, canRetry }: CausesSectionProps) {
  const { t } = useLingui()
  const textOf = useCauseText()
  const nameOf = useGroupName()
  const retry = useRetry(id)
  const causes = useQuery(causesQuery(id, isFollowed))
  const { data } = causes
  return (
    <Section title={t`Why devices failed`} loading={causes}>
      <ul className={styles.causes}>
        {data?.items.map(({ cause, state, count, groups }) => (
          <li key={`${state} ${cause}`} data-chosen={cause === chosen || undefined}>
            <Link
              to="/dashboard/maple/rollouts/$id"
              params={{ id }}
              search={{ cause, state }}
              hash={executionsId}
              preload={false}
            >
              {textOf(cause)}
            </Link>
            <span className={styles.line}>
              <ExecutionStateBadge state={state} />
              <span className="muted">
                {t`${plural(count, { one: '# device', other: '# devices' })}`}
                {' · '}
                {groups.map((number) => nameOf(number)).join(', ')}
              </span>
              {canRetry && isRetried(state) && (
                <button
                  type="button"
                  className={`button small ${styles.end}`}
                  aria-label={t`Retry: ${textOf(cause)}`}
                  onClick={() => void retry({ state, cause, count })}
                >
                  <RotateCw size={14} aria-hidden />
                  <Trans>Retry…</Trans>
                </button>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
