import type { Failure } from '@grove/contract/cedar/failure'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../session/api.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { currentLocale } from '../../../../ui/i18n/locale.ts'
import { Link } from '../../../../ui/link/link.tsx'
import { titleIn } from '../titles.ts'
import styles from './failure-notice.module.css'
import { readDismissed, storeDismissed } from './dismissed.ts'

/** Older failures are in the lists. */
const shown = 5

/** What failed while the reader was away; once dismissed, hidden until something else fails. */
export function FailureNotice() {
  const { t } = useLingui()
  const [dismissed, setDismissed] = useState(readDismissed)
  const { data } = useQuery(api.cedar.query('/api/developer/failure', { query: {} }))
  const failures = (data?.items ?? []).filter(({ at }) => at > dismissed)
  const [newest] = failures
  if (!newest) return null
  const dismiss = () => {
    storeDismissed(newest.at)
    setDismissed(newest.at)
    document.getElementById('main')?.focus()
  }
  return (
    <section className={styles.notice} aria-label={t`Recent failures`}>
      <TriangleAlert size={16} aria-hidden />
      <ul>
        {failures.slice(0, shown).map((failure) => (
          <li key={`${failure.kind} ${failure.id}`}>
            <FailureText failure={failure} />{' '}
            <span className="muted">
              <DateText value={failure.at} isRelative />
            </span>
          </li>
        ))}
      </ul>
      <button type="button" className="button small quiet" onClick={dismiss}>
        <Trans>Dismiss</Trans>
      </button>
    </section>
  )
}

function FailureText({ failure }: { failure: Failure }) {
  const { kind, id, productId, version } = failure
  const { title } = titleIn(failure.productTitles, currentLocale())
  if (kind === 'notification')
    return (
      <Trans>
        A notification of{' '}
        <Link to="/dashboard/cedar/notifications" search={{ notification: id }} preload={false}>
          <bdi>{title}</bdi>
        </Link>{' '}
        was not sent.
      </Trans>
    )
  return (
    <Trans>
      The package of{' '}
      <Link
        to="/dashboard/cedar/mobile/$productId/$versionId"
        params={{ productId, versionId: id }}
        preload={false}
      >
        <bdi>{title}</bdi> {version}
      </Link>{' '}
      was refused.
    </Trans>
  )
}
