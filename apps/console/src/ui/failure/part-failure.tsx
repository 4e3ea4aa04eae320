import { Trans, useLingui } from '@lingui/react/macro'
import { moreOf } from '../../api/problem.ts'
import { problemText } from '../../api/problem-text.ts'

export interface Loading {
  data: unknown
  error: Error | null
  refetch: () => unknown
}

/** Why a part of a page failed to load, and a way to retry. */
export function PartFailure({ error, refetch }: Pick<Loading, 'error' | 'refetch'>) {
  const { i18n } = useLingui()
  return (
    <p role="alert">
      {problemText(error, i18n)}{' '}
      <button type="button" className="button small" onClick={() => void refetch()}>
        <Trans>Try again</Trans>
      </button>
      {moreOf(error)}
    </p>
  )
}
