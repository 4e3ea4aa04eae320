import { Trans, useLingui } from '@lingui/react/macro'
import { moreOf } from '../../api/problem.ts'
import { problemText } from '../../api/problem-text.ts'

export interface Loading {
  data: unknown
  error: Error | null
  refetch: () => unknown
}

/** Why a part of a page could not be read, and a way to try again. */
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
