import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '../../../ui/link/link.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { executionsId } from './executions-section.tsx'
import { ExecutionStateBadge, useCauseText, useGroupName } from './page.labels.tsx'
import { causesQuery } from './rollout.api.ts'
import styles from './rollout.module.css'

interface CausesSectionProps {
  id: string
  chosen: string | undefined
  isFollowed: boolean
}

/** Why devices failed: each cause in words, and the way to its devices. */
export function CausesSection({ id, chosen, isFollowed }: CausesSectionProps) {
  const { t } = useLingui()
  const textOf = useCauseText()
  const nameOf = useGroupName()
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
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
