import { useLingui } from '@lingui/react/macro'
import { Sprout } from 'lucide-react'
import { Bytes } from '../../../ui/i18n/bytes.tsx'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import { CopyableId } from '../../../ui/text/copyable-id.tsx'
import { StateBadge, type StateKind } from '../../../ui/text/state-badge.tsx'
import styles from './kit-page.module.css'
import { KitSection, Piece } from './sample.tsx'

/** Feedback: states, values, loading, empty. */
export function FeedbackSection() {
  const { t } = useLingui()
  const states: Record<StateKind, string> = {
    good: t`Online`,
    ready: t`Ready`,
    waiting: t`Checking`,
    idle: t`Offline`,
    warning: t`Warnings`,
    bad: t`Failed`,
    ended: t`Retired`,
  }
  return (
    <KitSection title={t`Information`}>
      <Piece name="StateBadge">
        {(Object.keys(states) as StateKind[]).map((kind) => (
          <StateBadge key={kind} kind={kind} text={states[kind]} />
        ))}
      </Piece>
      <Piece name={t`Values`}>
        <DateText value="2026-11-07T09:30:00Z" />
        <DateText value="2026-11-07T09:30:00Z" isRelative />
        <DateText value={null} />
        <Bytes value={20_971_520} />
        <CopyableId value="9f3c2b1e-4a5d-4c6b-8e7f-0123456789ab" />
      </Piece>
      <Piece name={t`Notices`}>
        <p className="form-problem">{t`It could not be saved.`}</p>
        <p className="form-notice">{t`Nothing is published before you enable it.`}</p>
      </Piece>
      <Piece name={t`Waiting`}>
        <div className={`page-skeleton ${styles.wide}`}>
          <span className="skeleton" />
          <span className="skeleton" />
        </div>
      </Piece>
      <Piece name="EmptyState">
        <div className={styles.wide}>
          <EmptyState
            icon={Sprout}
            title={t`Nothing here yet`}
            text={t`What you create appears here.`}
            action={<button type="button" className="button primary">{t`Create the first`}</button>}
          />
        </div>
      </Piece>
    </KitSection>
  )
}
