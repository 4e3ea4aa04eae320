import type { Rollout } from '@grove/contract/maple/rollout/rollout'
import { sumOf } from '@grove/contract/maple/rollout/rollout.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Columns } from '../../../ui/page/columns.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { useEnded } from '../base/use-ended.ts'
import { CausesSection } from './causes-section.tsx'
import { ExecutionsSection } from './executions-section.tsx'
import { GroupWave } from './group-wave.tsx'
import { usePauseText } from './page.labels.tsx'
import { ProgramLink } from './program-link.tsx'
import { RolloutActions } from './rollout-actions.tsx'
import { RolloutFacts } from './rollout-facts.tsx'
import { oneRollout, refreshRollouts } from './rollout.api.ts'
import { RolloutStateBadge, useProgramText } from './rollout.labels.tsx'
import styles from './rollout.module.css'
import type { RolloutPageSearch } from './rollout.search.ts'
import { WavePicture } from './wave-picture.tsx'

const isOnItsWay = ({ state }: Pick<Rollout, 'state'>) =>
  state === 'running' || state === 'stopping'

/** A running rollout, which the loader has found: its groups, its failures by cause, its devices. */
export function RolloutPage({ id, search }: { id: string; search: RolloutPageSearch }) {
  const { t } = useLingui()
  const { data: rollout } = useSuspenseQuery(oneRollout(id))
  const textOf = useProgramText()
  const pauseText = usePauseText()
  const { name, state, program, groups, plan, isPrepared, retries, rights } = rollout
  const isMoving = isOnItsWay(rollout)
  // Its devices and causes may have been fetched before it ended.
  useEnded([rollout], isOnItsWay, () => refreshRollouts())
  const { failed, timedOut, skipped } = sumOf(groups)
  return (
    <article className={styles.page}>
      <PageHeader
        title={<bdi>{name}</bdi>}
        badge={<RolloutStateBadge state={state} />}
        description={
          <ProgramLink {...program}>
            <bdi>{textOf(program)}</bdi>
          </ProgramLink>
        }
        action={<RolloutActions rollout={rollout} />}
      />
      {state === 'paused' && <output className={styles.notice}>{pauseText(rollout)}</output>}
      {state === 'waiting_for_approval' && (
        <output className={styles.notice}>
          <Trans>Another person must approve it. Then it starts automatically.</Trans>
        </output>
      )}
      <Columns aside={<RolloutFacts rollout={rollout} />}>
        <Section title={t`Groups`}>
          {groups.length === 0 && <WavePicture plan={plan} total={retries?.count} />}
          {groups.length > 0 && !isPrepared && (
            <p className="muted">
              <Trans>Finding its devices and dividing them into groups…</Trans>
            </p>
          )}
          {groups.length > 0 && (
            <ol className={styles.groups}>
              {groups.map((group) => (
                <GroupWave key={group.number} id={id} group={group} />
              ))}
            </ol>
          )}
        </Section>
        {failed + timedOut + skipped > 0 && (
          <CausesSection
            id={id}
            chosen={search.cause}
            isFollowed={isMoving}
            canRetry={rights.retry === null}
          />
        )}
        {groups.length > 0 && <ExecutionsSection id={id} search={search} isFollowed={isMoving} />}
      </Columns>
    </article>
  )
}
