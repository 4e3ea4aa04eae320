import { useLingui } from '@lingui/react/macro'
import { problemText } from '../../api/problem-text.ts'

/** What failed to load, and a way to retry. */
export function LoadFailure({ error, onRetry }: { error: unknown; onRetry: () => unknown }) {
  const { i18n, t } = useLingui()
  return (
    <div className="notice" role="alert">
      <p>{problemText(error, i18n)}</p>
      <button type="button" className="button" onClick={() => void onRetry()}>
        {t`Try again`}
      </button>
    </div>
  )
}
