import { Trans, useLingui } from '@lingui/react/macro'
import { ApiProblem } from '../../api/problem.ts'
import { problemText } from '../../api/problem-text.ts'

interface LoadFailureProps {
  error: Error
  className?: string | undefined
  onRetry: () => void
  /** Goes to the first page when this one cannot be loaded. */
  onRestart?: (() => void) | undefined | ''
}

/** Why a part of the catalogue is missing; it is requested again automatically once back online. */
export function LoadFailure({ error, className = '', onRetry, onRestart }: LoadFailureProps) {
  const { i18n } = useLingui()
  // A third-party Cedar need not have one: nothing is wrong, and retrying changes nothing.
  if (error instanceof ApiProblem && /^http_(401|403|404|405|501)$/.test(error.code)) {
    return (
      <p className={`muted ${className}`}>
        <Trans>This service has no public catalogue.</Trans>
      </p>
    )
  }
  const isExpired = error instanceof ApiProblem && error.code === 'bad_cursor'
  return (
    <div className={`notice ${className}`}>
      <p role="alert">
        {isExpired ? (
          <Trans>This page of the list has expired. Start again from the first page.</Trans>
        ) : (
          problemText(error, i18n)
        )}
      </p>
      {isExpired && onRestart ? (
        <button type="button" className="button" onClick={onRestart}>
          <Trans>Go to the first page</Trans>
        </button>
      ) : (
        <button type="button" className="button" onClick={onRetry}>
          <Trans>Try again</Trans>
        </button>
      )}
    </div>
  )
}
