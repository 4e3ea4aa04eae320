import { useLingui } from '@lingui/react/macro'
import { ApiProblem, moreOf } from '../../api/problem.ts'
import { problemText } from '../../api/problem-text.ts'

interface PanelFailureProps {
  error: Error
  /** The text if there is no such item. */
  missing: string
  onRetry: () => void
  onClose: () => void
}

/** A panel whose content failed to load. */
export function PanelFailure({ error, missing, onRetry, onClose }: PanelFailureProps) {
  const { i18n, t } = useLingui()
  // An ID that nothing can have is refused without a request.
  const isMissing = error instanceof ApiProblem && (error.status === 404 || error.status === 400)
  return (
    <div className="notice">
      <p role="alert">{isMissing ? missing : problemText(error, i18n)}</p>
      <button type="button" className="button" onClick={isMissing ? onClose : onRetry}>
        {isMissing ? t`Close` : t`Try again`}
      </button>
      {!isMissing && moreOf(error)}
    </div>
  )
}
