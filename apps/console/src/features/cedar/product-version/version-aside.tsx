import type { Product, ProductVersion } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Circle, CircleCheck } from 'lucide-react'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { blockerOf, stepsOf } from './release/blockers.ts'
import { Section } from '../parts/section.tsx'
import { useVersionActions } from './release/use-version-actions.tsx'
import { VersionState } from '../parts/version-state.tsx'
import styles from './version-aside.module.css'
import { VersionChanges } from './version-changes.tsx'

interface VersionAsideProps {
  version: ProductVersion
  live: Product['liveVersion']
}

/** Where the version stands, what it still needs, and the switch. */
export function VersionAside({ version, live }: VersionAsideProps) {
  const { t, i18n } = useLingui()
  const { enable, disable, isPending } = useVersionActions(live)
  const blocker = blockerOf(version)
  const isPrevious = version.state === 'previous'
  const isBlocked = isPending || blocker !== undefined

  return (
    <Section title={t`Release`}>
      <dl className={styles.facts}>
        <dt>{t`State`}</dt>
        <dd>
          <VersionState state={version.state} />
        </dd>
        <dt>{t`Live now`}</dt>
        <dd>{live?.version ?? <span className="muted">{t`nothing`}</span>}</dd>
        <dt>{t`Last enabled`}</dt>
        <dd>
          <DateText value={version.enabledAt} isRelative />
        </dd>
        <dt>
          <Trans context="of a version">Created</Trans>
        </dt>
        <dd>
          <DateText value={version.createdAt} isRelative />
        </dd>
      </dl>
      {!version.enabled && (
        <ul className={styles.steps} aria-label={t`Before it goes live`}>
          {stepsOf(version).map(({ label, isDone, isOptional }) => (
            <li key={label.id} data-done={isDone}>
              {isDone ? <CircleCheck size={16} aria-hidden /> : <Circle size={16} aria-hidden />}
              <span>
                {i18n._(label)}
                {isOptional && !isDone && (
                  <span className="muted">
                    {' '}
                    <Trans>(recommended)</Trans>
                  </span>
                )}
                <span className="visually-hidden">{isDone ? t`: done` : t`: not yet`}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
      {live && !version.enabled && (
        <VersionChanges version={version} liveId={live.productVersionId} />
      )}
      {version.enabled ? (
        <button
          type="button"
          className="button wide"
          aria-disabled={isPending}
          onClick={() => !isPending && void disable(version)}
        >
          {t`Disable`}
        </button>
      ) : (
        <>
          <button
            type="button"
            className="button primary wide"
            aria-disabled={isBlocked}
            aria-describedby={blocker && 'enable-blocker'}
            onClick={() => !isBlocked && void enable(version)}
          >
            {isPrevious ? t`Roll back to this version` : t`Enable`}
          </button>
          {blocker && (
            <p id="enable-blocker" className="muted">
              {i18n._(blocker)}
            </p>
          )}
        </>
      )}
    </Section>
  )
}
